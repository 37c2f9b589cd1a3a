"""Real models, run in NumPy by the collection's own attention.

files           where a model's files lie, and whether they are the right ones
text_files      its vocabularies and settings
safetensors     arrays of a .safetensors file, mapped, not loaded
wordpiece       text -> pieces of words, as BERT-type models read it
functions       what stands between the attentions: erf, GELU, LayerNorm
model_folder    a folder with a BERT-type model: sizes, vocabulary, weights
parts           the model's arrays by name
layer           one layer: attention, MLP, and what is added around them
encoder         a BERT-type model: pieces -> states and maps of every layer
gguf            arrays of a .gguf file, mapped; float32 when asked for
gguf_header     what stands in front of them, believed only when checked
byte_pairs      text -> pieces of bytes, as causal models read it
causal_parts    a Llama-type model's settings, its norm and its gate
causal_layer    one layer: grouped heads, rotary positions, the cache
causal          the model: pieces -> maps and the next word
causal_findings what its heads do, scored; the shipped results
causal_tokens   the same on random tokens that come twice
"""
