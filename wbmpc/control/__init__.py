"""The control side: MPC, plan, low level, and the loop that couples them."""
