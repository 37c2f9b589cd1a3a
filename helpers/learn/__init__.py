"""Small models that train here, in seconds, in NumPy alone.

gradients       attention layers, forward and backward
products        matrix products that stay on one core
model           words in, answers out: the layers in a row
adam            how a step is taken
batch           sentences, and what is asked about them
who_did_what    task: subject and object, read at one verb
repeat          task: say again what has been seen
training        a generator: one step at a time
"""
