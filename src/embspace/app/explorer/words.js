// Finds the words that are typical of groups of texts.

// The words of the texts of a set: of text i those from start[i] to start[i + 1]; null without.
function wordsOf(content, set) {
  if (!set.words) return null;
  const ofEach = content.values[set.words.of_each];
  const start = new Uint32Array(ofEach.length + 1);
  ofEach.forEach((n, i) => { start[i + 1] = start[i] + n; });
  return { list: set.words.list, start, numbers: content.values[set.words.numbers], counts: content.values[set.words.counts] };
}

// Of each group of texts, the words of the largest class-based TF-IDF (Grootendorst 2022,
// arXiv:2203.05794, equation 2): a word's count in the class, times log(1 + A / its count in all),
// where A is the mean number of words of a class. Texts of no group are one further class.
function typicalWords(words, groups, most) {
  const all = new Float64Array(words.list.length);
  let total = 0;
  words.numbers.forEach((word, k) => { all[word] += words.counts[k]; total += words.counts[k]; });
  const grouped = groups.reduce((sum, group) => sum + group.length, 0);
  const mean = total / (groups.length + (grouped < words.start.length - 1 ? 1 : 0));
  return groups.map((group) => {
    const inside = new Map();
    for (const i of group)
      for (let k = words.start[i]; k < words.start[i + 1]; k++)
        inside.set(words.numbers[k], (inside.get(words.numbers[k]) || 0) + words.counts[k]);
    return [...inside]
      .map(([word, count]) => [count * Math.log(1 + mean / all[word]), word])
      .sort((a, b) => b[0] - a[0] || a[1] - b[1])
      .slice(0, most)
      .map(([, word]) => words.list[word]);
  });
}
