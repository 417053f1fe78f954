package machine

import "math"

// fusedStep computes dst by the kernels that do two operations in one pass.
func (s *Scratch) fusedStep(st *step, dst, x, y []float64) {
	x, y = x[:len(dst)], y[:len(dst)]
	switch st.op {
	case kSqrtMul:
		for i := range dst {
			dst[i] = math.Sqrt(x[i]) * y[i]
		}
	case kAddSqrt:
		for i := range dst {
			dst[i] = math.Sqrt(x[i] + y[i])
		}
	case kMulSqrt:
		for i := range dst {
			dst[i] = math.Sqrt(x[i] * y[i])
		}
	case kDivSqrt:
		for i := range dst {
			dst[i] = math.Sqrt(x[i] / y[i])
		}
	default:
		fuseColumns(st.op, dst, x, y, s.view[st.args[2]])
	}
}

// fuseColumns is fusedStep for three operands.
func fuseColumns(op kernel, dst, x, y, z []float64) {
	x, y, z = x[:len(dst)], y[:len(dst)], z[:len(dst)]
	switch op {
	case kAddAdd:
		for i := range dst {
			dst[i] = x[i] + y[i] + z[i]
		}
	case kMulAdd:
		for i := range dst {
			dst[i] = float64(x[i]*y[i]) + z[i]
		}
	case kDivAdd:
		for i := range dst {
			dst[i] = x[i]/y[i] + z[i]
		}
	case kMulSub:
		for i := range dst {
			dst[i] = float64(x[i]*y[i]) - z[i]
		}
	case kMulRsub:
		for i := range dst {
			dst[i] = z[i] - float64(x[i]*y[i])
		}
	case kAddMul:
		for i := range dst {
			dst[i] = (x[i] + y[i]) * z[i]
		}
	case kSubMul:
		for i := range dst {
			dst[i] = (x[i] - y[i]) * z[i]
		}
	case kDivMul:
		for i := range dst {
			dst[i] = x[i] / y[i] * z[i]
		}
	case kAddDiv:
		for i := range dst {
			dst[i] = (x[i] + y[i]) / z[i]
		}
	case kSubDiv:
		for i := range dst {
			dst[i] = (x[i] - y[i]) / z[i]
		}
	case kMulDiv:
		for i := range dst {
			dst[i] = x[i] * y[i] / z[i]
		}
	case kAddRdiv:
		for i := range dst {
			dst[i] = z[i] / (x[i] + y[i])
		}
	case kMulRdiv:
		for i := range dst {
			dst[i] = z[i] / (x[i] * y[i])
		}
	}
}
