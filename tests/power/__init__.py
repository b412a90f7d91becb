"""Holds the rules of claims to what they may say of chance.

A rule that decides a claim must seldom match where there is nothing: a test draws data of which
the claim is not true (labels dealt anew, vectors without direction, the border of a range),
measures them as the stage does, and asks the very rule of `data/published/`. Of 20 draws at most 3
may match, of 200 at most 16. If one draw in twenty did, more would come once in 60 and in 40 times.
"""
