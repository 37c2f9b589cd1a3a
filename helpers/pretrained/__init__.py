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
reading         what came of a text, and a reader that hides and patches
sample          the shipped sample: real weights and states, nothing to install
make_sample     how it was made
corpus          sentences with annotated relations
fits            sentences in which one word decides what "it" is
findings        what heads do: patterns, relations, baselines, held-out halves
fitting         which noun "it" looks at, with keys hidden and rows patched
scores          the shipped scores of all heads
make_scores     how they were made
gguf            arrays of a .gguf file, mapped; float32 when asked for
gguf_header     what stands in front of them, believed only when checked
byte_pairs      text -> pieces of bytes, as causal models read it
causal_parts    a Llama-type model's settings, its norm and its gate
causal_layer    one layer: grouped heads, rotary positions, the cache
causal          the model: pieces -> maps and the next word
causal_findings what its heads do, scored; the shipped results
causal_tokens   the same on random tokens that come twice
"""
