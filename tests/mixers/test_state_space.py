import numpy as np
import pytest
import torch
from direct_sums import array, noise

from bestiary.errors import UserError
from bestiary.mixers.state_space import DiagonalSSM, ShiftSSM


def shift(channels=3, d_state=4):
    torch.manual_seed(0)
    ssm = ShiftSSM(channels, d_state).double()
    ssm.d.data += noise(channels)
    return ssm


def diagonal(channels=3, d_state=4, **options):
    torch.manual_seed(0)
    ssm = DiagonalSSM(channels, d_state, dt_range=(0.05, 0.5), **options).double()
    ssm.d.data += noise(channels)
    return ssm


def shift_recurrence(ssm, u):
    """x_t = S x_{t-1} + e_1 u_t, y_t = C x_t + D u_t, with the matrix S written out."""
    n = ssm.c.shape[1]
    s = np.eye(n, k=-1)
    x, y = np.zeros((n, u.shape[1])), np.zeros_like(u)
    for t in range(len(u)):
        x = s @ x
        x[0] += u[t]
        y[t] = (array(ssm.c).T * x).sum(0) + array(ssm.d) * u[t]
    return y


def diagonal_recurrence(ssm, u):
    """Zero-order hold of x' = A x + u, channel by channel, pole by pole; complex where A is.

    Returns outputs and the last state, (channels, copies, poles).
    """
    dt = np.exp(array(ssm.log_dt))[:, None]
    a = -np.exp(array(ssm.log_decay)).astype(complex)
    c = array(ssm.c)
    if ssm.complex:
        a = a + 1j * array(ssm.frequency)
        c = 2 * (c[..., 0] + 1j * c[..., 1])
    a_bar = np.exp(dt * a)
    b_bar = (a_bar - 1) / a
    x = np.zeros((ssm.channels, ssm.copies, a.shape[1]), dtype=complex)
    y = np.zeros_like(u)
    for t in range(len(u)):
        now = u[t].reshape(ssm.channels, ssm.copies)
        x = a_bar[:, None] * x + b_bar[:, None] * now[..., None]
        read = (c[:, None] * x).sum(-1).real + array(ssm.d)[:, None] * now
        y[t] = read.reshape(-1)
    return y, x


@pytest.mark.parametrize("d_state", [1, 2, 5])
@pytest.mark.parametrize("length", [1, 2, 8, 17])
def test_the_shift_convolution_is_its_recurrence(d_state, length):
    ssm, u = shift(d_state=d_state), noise(1, length, 3, seed=1)
    expected = shift_recurrence(ssm, array(u[0]))
    np.testing.assert_allclose(array(ssm.convolve(u))[0], expected, atol=1e-10)


@pytest.mark.parametrize("spectrum", ["complex", "real"])
@pytest.mark.parametrize("copies", [1, 2])
@pytest.mark.parametrize("length", [1, 2, 8, 17, 100])
def test_the_diagonal_convolution_steps_and_state_are_the_recurrence(spectrum, copies, length):
    ssm = diagonal(spectrum=spectrum, copies=copies)
    u = noise(1, length, 3 * copies, seed=1)
    expected, last = diagonal_recurrence(ssm, array(u[0]))
    np.testing.assert_allclose(array(ssm(u))[0], expected, atol=1e-10)
    state = ssm.initial_state(1)
    for t in range(length):
        y_t, state = ssm.step(u[:, t], state)
        np.testing.assert_allclose(array(y_t)[0], expected[t], atol=1e-10)
    _, whole = ssm.forward_from(u, ssm.initial_state(1))
    for found in (state, whole):
        np.testing.assert_allclose(array(ssm._unpack(found))[0], last, atol=1e-10)
    assert state[0].numel() == ssm.state_size()


@pytest.mark.parametrize("spectrum", ["complex", "real"])
@pytest.mark.parametrize("cut", [1, 6, 11])
def test_the_diagonal_goes_on_from_a_state(spectrum, cut):
    ssm, u = diagonal(spectrum=spectrum, copies=2), noise(2, 12, 6, seed=1)
    first, state = ssm.forward_from(u[:, :cut], ssm.initial_state(2))
    second, _ = ssm.forward_from(u[:, cut:], state)
    torch.testing.assert_close(torch.cat([first, second], 1), ssm(u), rtol=0, atol=1e-10)


@pytest.mark.parametrize("length", [1, 2, 15, 16, 17, 1000])
def test_kernels_are_powers_of_the_poles(length):
    ssm = diagonal()
    log_a, b, c = (array(z) for z in ssm.discrete())
    t = np.arange(length)
    expected = np.einsum("cn,cnt->tc", b * c, np.exp(log_a[..., None] * t)).real
    expected[0] += array(ssm.d)
    np.testing.assert_allclose(array(ssm.kernel(length)), expected, atol=1e-12)


def test_every_pole_lies_inside_the_unit_circle_at_the_start_and_after_any_step():
    ssm = diagonal()
    for parameter in ssm.parameters():
        parameter.data += 3 * noise(*parameter.shape)
    assert (ssm.discrete()[0].real < 0).all()


@pytest.mark.parametrize("spectrum", ["complex", "real"])
def test_autocast_reaches_neither_the_kernel_nor_the_state(spectrum):
    ssm, u = diagonal(spectrum=spectrum).float(), noise(1, 12, 3).float()
    kernel, (_, state) = ssm.kernel(12), ssm.forward_from(u, ssm.initial_state(1))
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert torch.equal(ssm.kernel(12), kernel)
        _, again = ssm.forward_from(u, ssm.initial_state(1))
    assert torch.equal(again, state)


@pytest.mark.parametrize("spectrum", ["complex", "real"])
def test_gradients_are_right(spectrum):
    ssm = diagonal(channels=2, spectrum=spectrum)
    names = [name for name, _ in ssm.named_parameters()]

    def run(u, *values):
        return torch.func.functional_call(ssm, dict(zip(names, values, strict=True)), (u,))

    u = noise(1, 5, 2, seed=1).requires_grad_()
    assert torch.autograd.gradcheck(run, (u, *ssm.parameters()))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: ShiftSSM(2, 0), "d_state of a shift SSM is 0"),
        (lambda: DiagonalSSM(2, 3), "d_state of a complex SSM is 3; it must be even"),
        (lambda: DiagonalSSM(2, 0, spectrum="real"), "d_state of a real SSM is 0"),
        (lambda: DiagonalSSM(2, 2, spectrum="reel"), "did you mean 'real'"),
        (lambda: DiagonalSSM(2, 2, dt_range=(0.1, 0.01)), r"dt_range is \[0.1, 0.01\]"),
    ],
)
def test_impossible_settings_are_refused(make, words):
    with pytest.raises(UserError, match=words):
        make()
