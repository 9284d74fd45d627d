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
 * environment variable APICHAIN_SEEDS takes its place: a number, or `17,18` with a comma (`17,` for a single seed). Throws SeedError with the first seed that fails. It is tried again, so that
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
  if (typeof seeds === 'string') return seeds.includes(',') ? listed(seeds) : range(numberOf(seeds));
  return typeof seeds === 'number' ? range(numberOf(String(seeds))) : seeds;
}

const listed = (text: string): number[] =>
  text
    .split(',')
    .filter((part) => part.trim() !== '')
    .map(numberOf);

function* range(count: number): Generator<number> {
  for (let seed = 0; seed < count; seed++) yield seed;
}

function numberOf(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isSafeInteger(value) || value < 0)
    throw new RangeError(`explore: ${JSON.stringify(text)} is neither a number of seeds nor a list such as "3,17"`);
  return value;
}
