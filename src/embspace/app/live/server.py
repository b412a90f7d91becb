"""The live app's page and its server on this machine, by gradio; nothing is sent elsewhere."""

import os
from importlib.metadata import requires
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from embspace.app.live.answers import NEARNESS, POINTS, POSITIONS, Answers
from embspace.app.live.doors import LOOPBACK, Guests, lifespan_of
from embspace.app.live.limits import MOST_CHARACTERS, MOST_PAIRS
from embspace.app.page.names import called_in
from embspace.clouds.pooling import EXTRACTED
from embspace.errors import InputError

USER = "embspace"
SHORTEST_PASSWORD = 8
MOST_WAITING = 32  # requests; further ones are told to come back
# Whose page is kept as they see it, up to some megabytes each, though they may have left; of gradio
# there are 10,000. A visitor beyond has the map sent again.
MOST_SESSIONS = 64
EXAMPLE = "The keys to the old cabinet are on the table."
# What is sent comes as it is, and is checked by `Answers`, which say what is wrong.
EVENT: dict[str, Any] = {"api_visibility": "private", "preprocess": False}
COUNTRIES = "France | Paris\nItaly | Rome\nJapan | Tokyo\nSpain | Madrid"
OTHERS = "Germany | Berlin\nRussia | Moscow\nEgypt | Cairo\nGreece | Athens"


def check_binding(host: str, password: str | None) -> None:
    """Stop before opening the app to further machines without a password.

    Raises:
        InputError: if the password is missing or has fewer than eight characters.
    """
    if password is not None and len(password) < SHORTEST_PASSWORD:
        raise InputError(
            f"--password: found {len(password)} characters, allowed: {SHORTEST_PASSWORD} or more"
        )
    if host not in LOOPBACK and password is None:
        raise InputError(
            f"--host: found '{host}', which other machines can reach; "
            "a --password is needed beside it"
        )


def check_installed() -> None:
    """Stop if gradio is missing.

    Raises:
        InputError: naming the command for the installation.
    """
    if find_spec("gradio") is None:
        needed = next(line for line in requires("embspace") or () if line.startswith("gradio"))
        raise InputError(
            "gradio is not installed; in a clone `make app` installs it and opens the app, "
            f"elsewhere\n  pip install '{needed.partition(';')[0].strip()}'"
        )


def stay_offline() -> None:
    """Keep gradio and the model hub's library from calling out; call this before importing them."""
    os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"
    os.environ["HF_HUB_OFFLINE"] = "1"
    os.environ["HF_HUB_DISABLE_TELEMETRY"] = "1"


def open_app(
    models: list[str],
    corpora: list[str],
    *,
    host: str,
    port: int,
    password: str | None,
    guests: Guests,
) -> Any:
    """Serve the app until `close` of the returned object; `local_url` is the address.

    The current folder must be the root of a tree, the source of models and corpora.

    Raises:
        InputError: if gradio is missing, the port taken, or the app open to all machines.
    """
    check_binding(host, password)
    check_installed()
    stay_offline()
    # Else the server would believe whatever this machine says of the address that it asks for.
    os.environ["FORWARDED_ALLOW_IPS"] = ",".join(guests.proxies)
    import gradio as gr

    page = build_page(models, corpora, Answers())
    page.queue(max_size=MOST_WAITING, default_concurrency_limit=1)
    text = files("embspace.app.live")
    try:
        page.launch(
            server_name=host,
            server_port=port,
            auth=(USER, password) if password else None,
            auth_message=f"User: {USER}" if password else None,
            theme=gr.themes.Base(
                font=["system-ui", "sans-serif"], font_mono=["ui-monospace", "monospace"]
            ),
            css=text.joinpath("page.css").read_text(),
            share=False,
            ssr_mode=False,
            mcp_server=False,
            pwa=False,
            run_history=False,
            enable_monitoring=False,
            max_file_size=1,
            state_session_capacity=MOST_SESSIONS,
            footer_links=[],
            quiet=True,
            show_error=True,
            app_kwargs={"lifespan": lifespan_of(guests)},
            prevent_thread_lock=True,
        )
    except OSError:
        raise InputError(f"--port: {port} is taken on {host}, or cannot be had") from None
    return page


def build_page(models: list[str], corpora: list[str], answers: Answers) -> Any:
    """Return gradio's page for the returns of `answers`."""
    import gradio as gr

    emptied = (3600, 3600)  # seconds; no file is taken, so that there is none to keep
    with gr.Blocks(analytics_enabled=False, title="embspace", delete_cache=emptied) as page:
        gr.Markdown(
            "# embspace\nWhat a model makes of your texts. All is computed on this machine."
        )
        model = gr.Dropdown(
            [(called_in(Path(), "model", name), name) for name in models],
            value=models[0],
            label="Model",
            info="A name in conf/model/; its files must be there (`embspace fetch`). "
            "A folder: start the app by `embspace app FOLDER`.",
            allow_custom_value=True,
            elem_id="model",
        )
        with gr.Tab("Tokens"):
            _tokens_tab(model, answers)
        with gr.Tab("Directions"):
            _directions_tab(model, answers)
        with gr.Tab("Two texts"):
            _pair_tab(model, corpora, answers)
        with gr.Tab("Search"):
            _search_tab(model, corpora, answers)
        with gr.Tab("Map") as tab:
            _map_tab(tab, model, answers)
        page.load(_model_reader(models[0]), None, model, queue=False, **EVENT)
    return page


def _model_reader(otherwise: str) -> Any:
    """Return a function that reads the model from the page's address, `?model=`."""
    import gradio as gr

    def model_in_address(request: gr.Request) -> str:
        return str(request.query_params.get("model") or otherwise)

    return model_in_address


def _visitor(request: Any) -> str:
    return str(request.client.host) if request.client else ""


def _tokens_tab(model: Any, answers: Answers) -> None:
    import gradio as gr

    gr.Markdown(
        "How far each token is from its own input embedding, by layer. Choose a token by its "
        "button or its line. Rank 0: no token of the vocabulary is nearer."
    )
    text = _text_box("Text", EXAMPLE, "text", lines=2)
    with gr.Row():
        positions = gr.Radio(
            list(POSITIONS),
            value="none",
            label="Position vector added to the vocabulary",
            info="None, that of the token's own position, or the first.",
        )
        point = gr.Dropdown(
            list(POINTS),
            value="output",
            label="Point of reading",
            info="Of a block: the sum after attention, its norm, the output; `as_coded` is told by "
            "`embspace track --help`.",
        )
        nearness = gr.Dropdown(
            list(NEARNESS),
            value="cosine",
            label="Nearness",
            info="By cosine, distance, or the head for masked words.",
        )
    button = gr.Button("Track", variant="primary", elem_id="track")
    script = files("embspace.app.live").joinpath("choose.js").read_text()
    shown = gr.HTML("", js_on_load=script, elem_id="tracked", apply_default_css=False)

    def on_track(given: str, name: str, at: str, read: str, near: str, request: gr.Request) -> str:
        return answers.track(_visitor(request), given, name, at, read, near)

    inputs = [text, model, positions, point, nearness]
    for moment in (button.click, text.submit, positions.input, point.input, nearness.input):
        moment(on_track, inputs, shown, **EVENT)


def _directions_tab(model: Any, answers: Answers) -> None:
    import gradio as gr

    gr.Markdown(
        "Two lists of pairs, one pair a line: `first | second`. Of each list the mean of the "
        "differences second − first is taken; the cosine of the two means is shown beside that of "
        f"the same texts in random pairs. At most {MOST_PAIRS} pairs a list."
    )
    with gr.Row():
        first = gr.Textbox(COUNTRIES, label="List 1", lines=6, elem_id="first_pairs")
        second = gr.Textbox(OTHERS, label="List 2", lines=6, elem_id="second_pairs")
    layer, pooling = _place()
    button = gr.Button("Compare", variant="primary", elem_id="directions")
    shown = gr.HTML("", elem_id="directions_found", apply_default_css=False)

    def compare(name: str, a: str, b: str, at: Any, by: str, request: gr.Request) -> str:
        return answers.directions(_visitor(request), name, a, b, at, by)

    inputs = [model, first, second, layer, pooling]
    button.click(compare, inputs, shown, **EVENT)


def _pair_tab(model: Any, corpora: list[str], answers: Answers) -> None:
    import gradio as gr

    gr.Markdown("The cosine of two texts, and where it stands among all pairs of a corpus.")
    with gr.Row():
        first = _text_box("First text", "The tide was out.", "first_text")
        second = _text_box("Second text", "The sea had gone back.", "second_text")
    corpus = _corpus(corpora)
    layer, pooling = _place()
    button = gr.Button("Compare", variant="primary", elem_id="pair")
    shown = gr.HTML("", elem_id="pair_found", apply_default_css=False)

    def compare(name: str, of: str, a: str, b: str, at: Any, by: str, request: gr.Request) -> str:
        return answers.pair(_visitor(request), name, of, (a, b), at, by)

    inputs = [model, corpus, first, second, layer, pooling]
    button.click(compare, inputs, shown, **EVENT)


def _search_tab(model: Any, corpora: list[str], answers: Answers) -> None:
    import gradio as gr

    gr.Markdown("The windows of a corpus whose cosine with a text is largest.")
    query = _text_box("Text", "a walk by the sea", "query")
    corpus = _corpus(corpora)
    layer, pooling = _place()
    button = gr.Button("Search", variant="primary", elem_id="search")
    shown = gr.HTML("", elem_id="hits", apply_default_css=False)

    def find(name: str, of: str, given: str, at: Any, by: str, request: gr.Request) -> str:
        return answers.search(_visitor(request), name, of, given, at, by)

    inputs = [model, corpus, query, layer, pooling]
    for moment in (button.click, query.submit):
        moment(find, inputs, shown, **EVENT)


def _map_tab(tab: Any, model: Any, answers: Answers) -> None:
    import gradio as gr

    gr.Markdown(
        "Vocabulary, positions and corpora on the maps that are computed of the model, as in "
        "its report. A token that is chosen under Tokens is searched for."
    )
    script = files("embspace.app.live").joinpath("map.js").read_text()
    shown = gr.HTML("", js_on_load=script, elem_id="map", apply_default_css=False)
    is_open, current = gr.State(False), gr.State(None)

    def on_open(name: str, there: Any, request: gr.Request) -> Any:
        # The same map again would be some megabytes, and lose what was selected on it.
        view, identity = answers.map(_visitor(request), name, there)
        return True, identity, gr.skip() if view is None else view

    def on_model(name: str, there: Any, was_open: bool, request: gr.Request) -> Any:
        return on_open(name, there, request) if was_open else (False, there, gr.skip())

    tab.select(on_open, [model, current], [is_open, current, shown], **EVENT)
    model.change(on_model, [model, current, is_open], [is_open, current, shown], **EVENT)


def _text_box(label: str, value: str, name: str, *, lines: int = 1) -> Any:
    import gradio as gr

    # A longer one can be pasted, so that it is refused by a message and not cut in silence.
    info = f"At most {MOST_CHARACTERS:,} characters, and what a window of the model holds."
    return gr.Textbox(value, label=label, info=info, lines=lines, elem_id=name)


def _corpus(corpora: list[str]) -> Any:
    import gradio as gr

    choices = [(called_in(Path(), "corpus", name), name) for name in corpora]
    return gr.Dropdown(choices, value=corpora[0] if corpora else None, label="Corpus")


def _place() -> tuple[Any, Any]:
    import gradio as gr

    with gr.Row():
        layer = gr.Number(-1, precision=0, label="Layer (0 = embedding output, -1 = last)")
        pooling = gr.Dropdown(list(EXTRACTED), value="mean", label="Pooling")
    return layer, pooling
