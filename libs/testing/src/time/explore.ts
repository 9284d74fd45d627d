import { errorMessage } from '@apichain/meta';

/** A test failed with a seed. The failure itself is the `cause`. */
export class SeedError extends Error {
  override readonly name = 'SeedError';
  readonly seed: number;

  constructor(seed: number, message: string, cause: unknown) {
    super(message, { cause });
    this.seed = seed;
  }
}

/**
 * Runs `test` with one seed after another, each of which makes concurrent things happen in another order, to search for races: `explore(100, async
 * (seed) => { await using chain = await startChain({ seed, ... }); ... })`. `seeds` is a number of seeds from 0 on, or the seeds themselves. The
 * environment variable APICHAIN_SEEDS takes its place: a number, `17,18` with a comma (`17,` for a single seed), or `5000-9999`, with which several
 * processes share the work. Throws SeedError with the first seed that fails. It is tried again, so that
 * the message can say whether the failure belongs to the seed.
 */
export async function explore(seeds: number | Iterable<number>, test: (seed: number) => Promise<void>): Promise<void> {
  for (const seed of seedsOf(process.env['APICHAIN_SEEDS'] ?? seeds)) {
    const failure = await failureOf(seed, test);
    if (failure === undefined) continue;
    const again = await failureOf(seed, test);
    const repeat = `APICHAIN_SEEDS=${seed}, repeats it`;
    const whether =
      again === undefined ? 'a second run with it does not fail: something is not determined by the seed' : repeat;
    throw new SeedError(seed, `seed ${seed}: ${errorMessage(failure.error)} (${whether})`, failure.error);
  }
}

async function failureOf(seed: number, test: (seed: number) => Promise<void>): Promise<{ error: unknown } | undefined> {
  try {
    await test(seed);
    return undefined;
  } catch (error) {
    return { error };
  }
}

function seedsOf(seeds: number | string | Iterable<number>): Iterable<number> {
  if (typeof seeds === 'number') return range(0, numberOf(String(seeds)));
  if (typeof seeds !== 'string') return seeds;
  if (seeds.includes(',')) return listed(seeds);
  const [first, last] = seeds.split('-', 2);
  if (last === undefined || first === '') return range(0, numberOf(seeds));
  return range(numberOf(first ?? ''), numberOf(last) + 1);
}

const listed = (text: string): number[] =>
  text
    .split(',')
    .filter((part) => part.trim() !== '')
    .map(numberOf);

function* range(from: number, end: number): Generator<number> {
  for (let seed = from; seed < end; seed++) yield seed;
}

function numberOf(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isSafeInteger(value) || value < 0)
    throw new RangeError(
      `explore: ${JSON.stringify(text)} is neither a number of seeds nor a list such as "3,17" or "3-17"`,
    );
  return value;
}
