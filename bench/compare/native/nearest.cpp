// nearest finds nearest neighbours with nanoflann, for comparison. It obeys commands on
// standard input, one a line, and answers each with one line on standard output:
//
//	points FILE         ok COUNT       what to search, pairs of int32 in native order
//	queries FILE        ok COUNT       where to search from, likewise
//	build KIND LEAF     built NANOS    a tree of float or double points, LEAF in a leaf
//	nearest K           found NANOS SUM
//
// or with "error TEXT". SUM is, modulo 2^64, that of the squared distances, each times
// its rank from 1 on. Times are those of the thread's CPU clock. Distances are double
// in both kinds, so that they are exact for coordinates below 2^24. (The trees that
// nanoflann 1.4 builds of integers are never split by y.)

#include <array>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <iostream>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <nanoflann.hpp>

namespace {

template <typename T>
using Point = std::array<T, 2>;

int64_t now() {
	timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return int64_t(t.tv_sec) * 1000000000 + t.tv_nsec;
}

std::vector<Point<int32_t>> read(const std::string& path) {
	std::ifstream in(path, std::ios::binary | std::ios::ate);
	if (!in) throw std::runtime_error("cannot open " + path);
	std::vector<Point<int32_t>> points(size_t(in.tellg()) / sizeof(Point<int32_t>));
	in.seekg(0);
	in.read(reinterpret_cast<char*>(points.data()), std::streamsize(points.size() * sizeof(points[0])));
	if (!in) throw std::runtime_error("cannot read " + path);
	return points;
}

// Cloud is the points as nanoflann wants to see them.
template <typename T>
struct Cloud {
	std::vector<Point<T>> points;

	size_t kdtree_get_point_count() const { return points.size(); }
	T kdtree_get_pt(size_t i, size_t axis) const { return points[i][axis]; }
	template <class Box>
	bool kdtree_get_bbox(Box&) const { return false; }
};

struct Answer {
	int64_t nanos;
	uint64_t sum;
};

// Tree is what a command works on, of either kind.
struct Tree {
	virtual ~Tree() = default;
	virtual Answer nearest(const std::vector<Point<int32_t>>& queries, size_t k) const = 0;
};

template <typename T>
struct TreeOf final : Tree {
	using Metric = nanoflann::L2_Simple_Adaptor<T, Cloud<T>, double, uint32_t>;
	using Index = nanoflann::KDTreeSingleIndexAdaptor<Metric, Cloud<T>, 2, uint32_t>;

	Cloud<T> cloud;
	std::unique_ptr<Index> index;
	int64_t nanos; // to build the tree

	TreeOf(const std::vector<Point<int32_t>>& points, size_t leaf) {
		cloud.points.reserve(points.size());
		for (const auto& p : points) cloud.points.push_back({T(p[0]), T(p[1])});
		const int64_t start = now();
		index = std::make_unique<Index>(2, cloud, nanoflann::KDTreeSingleIndexAdaptorParams(leaf));
		nanos = now() - start;
	}

	// The answers go into nanoflann's own sorted list: a heap in its place was slower for
	// each K measured, 256 too.
	Answer nearest(const std::vector<Point<int32_t>>& queries, size_t k) const override {
		std::vector<uint32_t> found(k);
		std::vector<double> dist2(k);
		uint64_t sum = 0;
		const int64_t start = now();
		for (const auto& q : queries) {
			const T at[2] = {T(q[0]), T(q[1])};
			const size_t n = index->knnSearch(at, k, found.data(), dist2.data());
			for (size_t i = 0; i < n; i++) sum += uint64_t(int64_t(dist2[i])) * (i + 1);
		}
		return {now() - start, sum};
	}
};

std::vector<Point<int32_t>> points, queries;
std::unique_ptr<Tree> tree;

template <typename T>
int64_t build(size_t leaf) {
	tree.reset(); // untimed
	auto built = std::make_unique<TreeOf<T>>(points, leaf);
	const int64_t nanos = built->nanos;
	tree = std::move(built);
	return nanos;
}

std::string obey(const std::string& line) {
	std::istringstream in(line);
	std::string command, word;
	size_t n = 0;
	in >> command;
	if (command == "points" || command == "queries") {
		in >> std::ws;
		std::getline(in, word);
		auto& to = command == "points" ? points : queries;
		to = read(word);
		return "ok " + std::to_string(to.size());
	}
	if (command == "build" && in >> word >> n && n > 0) {
		if (word == "float") return "built " + std::to_string(build<float>(n));
		if (word == "double") return "built " + std::to_string(build<double>(n));
	}
	if (command == "nearest" && in >> n && n > 0 && tree) {
		const Answer a = tree->nearest(queries, n);
		return "found " + std::to_string(a.nanos) + " " + std::to_string(a.sum);
	}
	throw std::runtime_error("cannot do: " + line);
}

} // namespace

int main() {
	std::printf("nanoflann %x.%x.%x, g++ %s\n", NANOFLANN_VERSION >> 8, NANOFLANN_VERSION >> 4 & 15,
		NANOFLANN_VERSION & 15, __VERSION__);
	std::fflush(stdout);
	for (std::string line; std::getline(std::cin, line);) {
		try {
			std::cout << obey(line) << std::endl;
		} catch (const std::exception& e) {
			std::cout << "error " << e.what() << std::endl;
		}
	}
}
