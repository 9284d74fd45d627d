import { flags } from '../../command/command.ts';
import { numberOf } from '../options.ts';
import type { ChainOptions } from './chain.ts';
import type { Limits } from './search.ts';

export const stallsUsage = `usage: npm run fuzz -- --stalls [--seed N] [--seconds N] [--cases N] [--services] [--cbor] [--port N] [--known] [--written]
               [--case TEXT] [--wait MS] [--memory MB] [--no-minimize] [--verbose]

Searches for single requests of at most 3 MiB, and for reads of up to 150 MB of stored objects in every representation, one or many at
a time, that keep a second client of the same service waiting, or take much memory. It
starts a chain of its own on fresh data and ends it: one process, or with --services three,
with --cbor one that also serves and stores CBOR. It prints what keeps the other waiting for
more than --wait milliseconds (250), or takes more than --memory MB (300), and makes it as small as it still does so. The cases
follow from the seed; --known tries the worst ones that are known and a few others, --written those that are not made at random
first, --case only those written or of one field whose name holds the text. It ends after --cases of them, however long they take, or
after --seconds (300). Exit code 1 when something was found.`;

export interface StallOptions {
  readonly seed: number;
  /** The time limit; infinite when the number of cases is limited. */
  readonly seconds: number;
  /** The maximum number of cases; infinite when the time is limited. */
  readonly cases: number;
  readonly chain: ChainOptions;
  readonly limits: Limits;
  readonly known: boolean;
  readonly written: boolean;
  /** Runs only those written cases and single-field cases whose name contains this text. */
  readonly only?: string;
  readonly minimize: boolean;
  readonly verbose: boolean;
}

const parse = flags({
  stalls: { type: 'boolean' },
  seed: { type: 'string' },
  seconds: { type: 'string' },
  cases: { type: 'string' },
  services: { type: 'boolean' },
  cbor: { type: 'boolean' },
  port: { type: 'string' },
  known: { type: 'boolean' },
  written: { type: 'boolean' },
  case: { type: 'string' },
  wait: { type: 'string' },
  memory: { type: 'string' },
  minimize: { type: 'boolean' },
  verbose: { type: 'boolean' },
});

/** Parses the options after `--stalls`. Throws UsageError. */
export function parseStallOptions(args: readonly string[]): StallOptions {
  const values = parse(args);
  return {
    seed: numberOf('seed', values.seed, Date.now() % 2 ** 31),
    seconds: numberOf('seconds', values.seconds, values.cases === undefined ? 300 : Infinity),
    cases: numberOf('cases', values.cases, Infinity),
    chain: {
      services: values.services === true,
      cbor: values.cbor === true,
      ...(values.port === undefined ? {} : { port: numberOf('port', values.port, 0) }),
    },
    limits: { waitMs: numberOf('wait', values.wait, 250), memoryMb: numberOf('memory', values.memory, 300) },
    known: values.known === true,
    written: values.written === true,
    ...(values.case === undefined ? {} : { only: values.case }),
    minimize: values.minimize !== false,
    verbose: values.verbose === true,
  };
}
