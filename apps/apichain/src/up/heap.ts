import type { ServiceName } from '@apichain/chain/setup';

/*
 * The settings of V8 and malloc in the processes of a chain. docs/benchmarks-parts.md ("What the tuning buys") describes the effect of each
 * setting and how it was measured.
 */

/**
 * The heap flag of Node for a chain in one process. Node accepts it on the command line only. package.json, apps/apichain/package.json,
 * tools/package/files/bin.js, the Dockerfile and the targets of benchmark and conformance therefore repeat it, and a test compares them. Without
 * the flag, V8 lets the space for new objects grow to four times this size. The flag saves memory ("memory, 5000 pods"): 211 instead of 309
 * MiB after creating, getting and listing 2,300 pods. The processor time is the same.
 */
export const oneProcessHeapFlag = '--max-semi-space-size=16';

/**
 * The size of the semi-space in which V8 allocates new objects, in MiB. A larger semi-space has no benefit: processor time is the same with
 * V8's default. This size saves memory ("memory, 5000 pods"): 694 instead of 902 MiB for three services after creating, getting and listing
 * 2,300 pods.
 */
const semiSpaceMiB: Readonly<Record<ServiceName, number>> = { aggregator: 8, 'kube-core': 16, apiextensions: 4 };

/**
 * Counts the buffers of the aggregator towards V8's limit of the whole heap, which grows with the live heap. Without the flag, about every 50 MB
 * of buffers trigger a full garbage collection. Before the buffers of forwarded responses were freed at once, the flag saved two fifths of the processor
 * time of "LIST all"; for "LIST all custom" it makes no difference since. kube-core does not use the flag: with a watcher that does not read, it
 * would keep 200 MiB more.
 */
const buffersInHeapLimit = '--external-memory-accounted-in-global-limit';

/**
 * Collects garbage when the heap is 80 % larger than what was alive after the last collection. V8 alone waits until it is up to four times as large. The
 * flag saves memory when large objects are written ("Writes of large objects"): the first 40 ConfigMaps of 1.1 MB add 380 MB without it, 280 with it in kube-core;
 * the first 40 Services of 9,000 ports, which the aggregator follows, add 100 MB less with it in the aggregator, too. In the short benchmark 50 and 100 % changed the
 * rates of other workloads by no more than its rounds differ; 80 % was not measured there.
 */
const eagerCollection = '--heap-growing-percent=80';

/** Flags of V8 that another version of Node may not know. It would then not start. */
const measuredOnNode24: Readonly<Partial<Record<ServiceName, readonly string[]>>> = {
  aggregator: [buffersInHeapLimit, eagerCollection],
  'kube-core': [eagerCollection],
};

/** The heap flags of Node for a service. The semi-space starts at its full size: growing it in steps costs a tenth of "time to ready". */
export const heapFlags = (name: ServiceName): readonly string[] => [
  `--min-semi-space-size=${semiSpaceMiB[name]}`,
  `--max-semi-space-size=${semiSpaceMiB[name]}`,
  ...(process.versions.node.startsWith('24.') ? (measuredOnNode24[name] ?? []) : []),
];

/** The heap flags of Node for the controllers. The controllers are mostly idle, and take 32 MiB with these flags, 39 without ("memory, idle"). */
export const smallHeapFlags = ['--max-semi-space-size=2', '--optimize-for-size'] as const;

/**
 * Uses one malloc arena for all threads, unless the user sets another number. By default, glibc creates arenas for threads, and memory that
 * buffers free there cannot be reused by other threads. The setting saves memory: 618 instead of 656 MiB resident in three services after creating
 * 5,000 pods, listing all of them 30 times and getting 3,000 (medians of 7 and 4 runs), and 367 instead of 376 MiB when idle (3 runs each).
 * malloc reads it when a process starts, so for a chain in one process the commands that start it set it, where they set `oneProcessHeapFlag`:
 * 3.5 MB less of an idle minimal chain.
 */
export const mallocEnvironment: Readonly<Record<string, string>> =
  process.env['MALLOC_ARENA_MAX'] === undefined ? { MALLOC_ARENA_MAX: '1' } : {};
