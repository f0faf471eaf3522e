// Building blocks of the kernels. Everything is in an unnamed namespace: each variant
// has its own copy, and the linker cannot mix them.
//
// Matrices in scratch memory have `ld` a multiple of kPadding, itself one of kWidth,
// and their rows beyond the last are zero, so that no loop over rows needs a
// remainder.

#pragma once

#include "kernels.hpp"

namespace wbmpc {
namespace {

#if defined(__AVX2__)
constexpr int kWidth = 4;
#else
constexpr int kWidth = 2;
#endif

// May be loaded from and stored to any address.
typedef double Vector
    __attribute__((vector_size(8 * kWidth), aligned(8), may_alias));

#define WBMPC_INLINE inline __attribute__((always_inline))

constexpr int padded(int rows) {
  return (rows + kPadding - 1) / kPadding * kPadding;
}

struct Matrix {
  double* data;
  int rows;
  int cols;
  int ld;

  double* col(int j) const { return data + static_cast<long>(j) * ld; }
  double& operator()(int i, int j) const { return col(j)[i]; }
  Matrix columns(int begin, int count) const {
    return Matrix{col(begin), rows, count, ld};
  }
};

// Hands out matrices from scratch memory; counts without handing out if that is null.
struct Arena {
  double* memory;
  long used;

  Matrix matrix(int rows, int cols) {
    const int ld = padded(rows);
    const Matrix result{memory == nullptr ? nullptr : memory + used, rows, cols, ld};
    used += static_cast<long>(ld) * cols;
    return result;
  }
};

WBMPC_INLINE Vector load(const double* from) {
  return *reinterpret_cast<const Vector*>(from);
}

WBMPC_INLINE void store(double* to, Vector value) {
  *reinterpret_cast<Vector*>(to) = value;
}

// y += alpha x over `n` entries, n a multiple of kWidth.
WBMPC_INLINE void axpy(int n, double alpha, const double* x, double* y) {
  for (int i = 0; i < n; i += kWidth) store(y + i, load(y + i) + alpha * load(x + i));
}

WBMPC_INLINE void scale(int n, double alpha, const double* x, double* y) {
  for (int i = 0; i < n; i += kWidth) store(y + i, alpha * load(x + i));
}

inline double dot(int n, const double* x, const double* y) {
  double sum = 0.0;
  for (int i = 0; i < n; ++i) sum += x[i] * y[i];
  return sum;
}

// Copies (rows, cols) into scratch memory, padding with zeros.
inline void import_matrix(const double* from, int ld, const Matrix& to) {
  for (int j = 0; j < to.cols; ++j) {
    const double* source = from + static_cast<long>(j) * ld;
    double* target = to.col(j);
    for (int i = 0; i < to.rows; ++i) target[i] = source[i];
    for (int i = to.rows; i < to.ld; ++i) target[i] = 0.0;
  }
}

inline void export_matrix(const Matrix& from, double* to, int ld) {
  for (int j = 0; j < from.cols; ++j) {
    const double* source = from.col(j);
    double* target = to + static_cast<long>(j) * ld;
    for (int i = 0; i < from.rows; ++i) target[i] = source[i];
  }
}

// to(j, i) = from(i, j), four by four; rows of `to` beyond the last become zero.
inline void import_transposed(const double* from, int ld, const Matrix& to) {
  const int rows = to.cols;
  const int cols = to.rows;
  for (int j = 0; j < cols; j += 4) {
    const int width = cols - j < 4 ? cols - j : 4;
    for (int i = 0; i < rows; ++i) {
      const double* source = from + i + static_cast<long>(j) * ld;
      double* target = to.col(i) + j;
      if (width == 4) {
        const double a = source[0], b = source[ld], c = source[2 * ld],
                     d = source[3 * ld];
        target[0] = a, target[1] = b, target[2] = c, target[3] = d;
      } else {
        for (int k = 0; k < width; ++k) target[k] = source[static_cast<long>(k) * ld];
      }
    }
  }
  for (int i = 0; i < rows; ++i) {
    for (int j = cols; j < to.ld; ++j) to.col(i)[j] = 0.0;
  }
}

// C += alpha A B' on a tile of `V` vectors by `N` columns; alpha is 1, -1 or 0, where
// 0 stands for C = A B'.
template <int V, int N>
WBMPC_INLINE void product_tile(int alpha, const double* a, int lda, const double* b,
                               int ldb, int depth, double* c, int ldc) {
  Vector sum[V][N] = {};
  for (int p = 0; p < depth; ++p) {
    Vector column[V];
    for (int v = 0; v < V; ++v) column[v] = load(a + v * kWidth);
    for (int n = 0; n < N; ++n) {
      for (int v = 0; v < V; ++v) sum[v][n] += column[v] * b[n];
    }
    a += lda;
    b += ldb;
  }
  for (int n = 0; n < N; ++n) {
    for (int v = 0; v < V; ++v) {
      double* target = c + static_cast<long>(n) * ldc + v * kWidth;
      if (alpha == 0) {
        store(target, sum[v][n]);
      } else if (alpha > 0) {
        store(target, load(target) + sum[v][n]);
      } else {
        store(target, load(target) - sum[v][n]);
      }
    }
  }
}

template <int N>
inline void product_panel(int alpha, const double* a, int lda, const double* b, int ldb,
                          int depth, double* c, int ldc, int rows) {
  int i = 0;
  for (; i + 3 * kWidth <= rows; i += 3 * kWidth) {
    product_tile<3, N>(alpha, a + i, lda, b, ldb, depth, c + i, ldc);
  }
  for (; i + 2 * kWidth <= rows; i += 2 * kWidth) {
    product_tile<2, N>(alpha, a + i, lda, b, ldb, depth, c + i, ldc);
  }
  for (; i < rows; i += kWidth) {
    product_tile<1, N>(alpha, a + i, lda, b, ldb, depth, c + i, ldc);
  }
}

// Dispatches the last columns of a product to a narrower tile.
inline void product_columns(int width, int alpha, const double* a, int lda,
                            const double* b, int ldb, int depth, double* c, int ldc,
                            int rows) {
  switch (width) {
    case 1:
      return product_panel<1>(alpha, a, lda, b, ldb, depth, c, ldc, rows);
    case 2:
      return product_panel<2>(alpha, a, lda, b, ldb, depth, c, ldc, rows);
    case 3:
      return product_panel<3>(alpha, a, lda, b, ldb, depth, c, ldc, rows);
    default:
      return product_panel<4>(alpha, a, lda, b, ldb, depth, c, ldc, rows);
  }
}

// C = A B' (alpha 0) or C += alpha A B'; A is (m, k), B (n, k), C (m, n).
inline void product(int alpha, const Matrix& a, const Matrix& b, const Matrix& c) {
  for (int j = 0; j < c.cols; j += 4) {
    const int width = c.cols - j < 4 ? c.cols - j : 4;
    product_columns(width, alpha, a.data, a.ld, b.data + j, b.ld, a.cols, c.col(j),
                    c.ld, padded(c.rows));
  }
}

// The lower triangle of the same; what lies above the diagonal becomes undefined.
inline void product_lower(int alpha, const Matrix& a, const Matrix& b,
                          const Matrix& c) {
  for (int j = 0; j < c.cols; j += 4) {
    const int width = c.cols - j < 4 ? c.cols - j : 4;
    const int top = j / kWidth * kWidth;
    product_columns(width, alpha, a.data + top, a.ld, b.data + j, b.ld, a.cols,
                    c.col(j) + top, c.ld, padded(c.rows) - top);
  }
}

// Copies the lower triangle to the upper one.
inline void mirror_lower(const Matrix& a) {
  for (int j = 0; j < a.cols; ++j) {
    for (int i = j + 1; i < a.rows; ++i) a(j, i) = a(i, j);
  }
}

inline void export_transposed(const Matrix& from, double* to, int ld) {
  import_transposed(from.data, from.ld, Matrix{to, from.cols, from.rows, ld});
}

inline void set_identity(const Matrix& a) {
  for (int j = 0; j < a.cols; ++j) {
    for (int i = 0; i < a.ld; ++i) a.col(j)[i] = i == j ? 1.0 : 0.0;
  }
}

// a = L L' in place, lower triangle; false unless a is positive definite. The rest of
// the matrix, padding included, becomes zero.
inline bool cholesky(const Matrix& a) {
  for (int j = 0; j < a.cols; ++j) {
    double* column = a.col(j);
    const double pivot = column[j];
    if (!(pivot > 0.0)) return false;
    const double root = __builtin_sqrt(pivot);
    const double inverse = 1.0 / root;
    for (int i = 0; i < j; ++i) column[i] = 0.0;
    column[j] = root;
    for (int i = j + 1; i < a.rows; ++i) column[i] *= inverse;
    for (int i = a.rows; i < a.ld; ++i) column[i] = 0.0;
    for (int k = j + 1; k < a.cols; ++k) {
      const int top = k / kWidth * kWidth;
      axpy(a.ld - top, -column[k], column + top, a.col(k) + top);
    }
  }
  return true;
}

// X = X L^-T in place, L lower triangular; X is (m, n), L (n, n).
inline void solve_lower_transposed(const Matrix& x, const Matrix& l) {
  for (int j = 0; j < x.cols; j += 4) {
    const int width = x.cols - j < 4 ? x.cols - j : 4;
    if (j > 0) {
      product_columns(width, -1, x.data, x.ld, l.data + j, l.ld, j, x.col(j), x.ld,
                      padded(x.rows));
    }
    for (int k = j; k < j + width; ++k) {
      for (int i = j; i < k; ++i) axpy(x.ld, -l(k, i), x.col(i), x.col(k));
      scale(x.ld, 1.0 / l(k, k), x.col(k), x.col(k));
    }
  }
}

// X = X L^-1 in place, given `lt` = L' (upper triangular).
inline void solve_lower(const Matrix& x, const Matrix& lt) {
  for (int end = x.cols; end > 0; end -= 4) {
    const int begin = end < 4 ? 0 : end - 4;
    if (end < x.cols) {
      product_columns(end - begin, -1, x.col(end), x.ld, lt.col(end) + begin, lt.ld,
                      x.cols - end, x.col(begin), x.ld, padded(x.rows));
    }
    for (int k = end - 1; k >= begin; --k) {
      for (int i = k + 1; i < end; ++i) axpy(x.ld, -lt(k, i), x.col(i), x.col(k));
      scale(x.ld, 1.0 / lt(k, k), x.col(k), x.col(k));
    }
  }
}

// x = L^-1 x.
inline void solve_vector(const Matrix& l, double* x) {
  for (int j = 0; j < l.cols; ++j) {
    x[j] /= l(j, j);
    for (int i = j + 1; i < l.rows; ++i) x[i] -= l(i, j) * x[j];
  }
}

// x = L^-T x.
inline void solve_vector_transposed(const Matrix& l, double* x) {
  for (int j = l.cols - 1; j >= 0; --j) {
    const int below = l.rows - j - 1;
    x[j] = (x[j] - dot(below, l.col(j) + j + 1, x + j + 1)) / l(j, j);
  }
}

// y = alpha A x + y over padded rows.
inline void add_product(double alpha, const Matrix& a, const double* x, double* y) {
  for (int j = 0; j < a.cols; ++j) axpy(a.ld, alpha * x[j], a.col(j), y);
}

inline bool is_usable(const double* x, int n) {
  bool usable = true;
  for (int i = 0; i < n; ++i) usable &= __builtin_fabs(x[i]) < 1e30;
  return usable;
}

}  // namespace
}  // namespace wbmpc
