"""Small models that train here, in seconds, in NumPy alone.

gradients       attention layers, forward and backward
products        matrix products that stay on one core
model           words in, answers out: the layers in a row
adam            how a step is taken
batch           sentences, and what is asked about them
who_did_what    task: subject and object, read at one verb
roles_in_a_row  task: three to five nouns, all read at one verb
repeat          task: say again what has been seen
training        a generator: one step at a time
study           many trainings, and their results
role_studies    of who did what, with role_measures
studies         all of them, by name
make            the command that makes what is shipped
pruning         heads removed: in which order, and what is left
conversion      fewer key/value heads for a trained model
snapshots       a training, kept: weights at some steps, and its curves
weights_on_disk the shipped weights: written by a script, read safely
role_weights    shipped models of who did what, h heads on n_kv
"""
