"""Real models, run in NumPy by the collection's own attention.

files           where a model's files lie, and whether they are the right ones
text_files      its vocabularies and settings
safetensors     arrays of a .safetensors file, mapped, not loaded
wordpiece       text -> pieces of words, as BERT-type models read it
functions       what stands between the attentions: erf, GELU, LayerNorm
model_folder    a folder with a BERT-type model: sizes, vocabulary, weights
parts           the model's arrays by name
encoder         a BERT-type model: pieces -> states and maps of every layer
"""
