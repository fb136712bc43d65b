import torch

# Tensors here are tiny: a second thread only waits, and pytest-xdist uses the other cores.
torch.set_num_threads(1)
