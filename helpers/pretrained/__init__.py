"""Real models, run in NumPy by the collection's own attention.

files           where a model's files lie, and whether they are the right ones
safetensors     arrays of a .safetensors file, read without loading it
wordpiece       text -> pieces of words, as BERT-type models read it
functions       what stands between the attentions: erf, GELU, LayerNorm
config          what a BERT-type model says about itself
encoder         a BERT-type model: pieces -> states and maps of every layer
"""
