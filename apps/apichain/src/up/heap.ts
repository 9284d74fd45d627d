import type { ServiceName } from '@apichain/chain/setup';

/*
 * How V8 and malloc are set up in the processes of a chain. What each setting buys, and how that was measured, stands in docs/benchmarks.md
 * ("What the tuning buys").
 */

/**
 * The flag of Node for a chain in one process. Node takes it on the command line only, so package.json, apps/apichain/package.json,
 * tools/package/bin.js, the Dockerfile and the targets of benchmark and conformance repeat it, and a test compares them. Without it V8 lets the space
 * for new objects grow to four times this size. It buys memory ("memory, 5000 pods"): 211 instead of 309 MiB after creating, getting and listing
 * 2,300 pods. The processor time is the same.
 */
export const oneProcessHeapFlag = '--max-semi-space-size=16';

/**
 * The semi-space in which V8 puts new objects, in MiB. A service needs no larger one: processor time is the same with V8's own sizes. It buys memory
 * ("memory, 5000 pods"): 694 instead of 902 MiB for three services after creating, getting and listing 2,300 pods.
 */
const semiSpaceMiB: Readonly<Record<ServiceName, number>> = { aggregator: 8, 'kube-core': 16, apiextensions: 4 };

/**
 * Buffers of the aggregator count for V8's limit of the whole heap, which grows with what is alive. Otherwise every 32 MB of them bring a
 * collection of everything, one for two LISTs of 5,000 pods: without it the aggregator needs 1.2 to 2 times the processor time for "LIST all".
 * kube-core does without: beside a watcher that does not read it would keep 200 MiB more. Measured on Node 24; another one may not know the
 * flag, and then would not start.
 */
const buffersInHeapLimit = process.versions.node.startsWith('24.')
  ? ['--external-memory-accounted-in-global-limit']
  : [];

/** The flags of Node for a service. The semi-space has its size from the start: growing it step by step costs a tenth of "time to ready". */
export const heapFlags = (name: ServiceName): readonly string[] => [
  `--min-semi-space-size=${semiSpaceMiB[name]}`,
  `--max-semi-space-size=${semiSpaceMiB[name]}`,
  ...(name === 'aggregator' ? buffersInHeapLimit : []),
];

/** The flags of Node for the controllers. They are seldom busy, and take 32 MiB with these flags, 39 without ("memory, idle"). */
export const smallHeapFlags = ['--max-semi-space-size=2', '--optimize-for-size'] as const;

/**
 * One heap for all threads, unless the user says otherwise: glibc gives threads heaps of their own, in which what buffers leave free is of
 * no use to anybody (100 MiB in a busy service, "memory, 5000 pods").
 */
export const mallocEnvironment: Readonly<Record<string, string>> =
  process.env['MALLOC_ARENA_MAX'] === undefined ? { MALLOC_ARENA_MAX: '1' } : {};
