import fc from 'fast-check';

/**
 * The number of characters of a repeated part, and the time limit for an expression in milliseconds. Quadratic expressions take ten times
 * as long.
 */
const repeated = 5000;
const timeLimitMs = 4;
const samples = 4;

/** Two endings, because hardly any expression matches both. */
const endings = ['\u0001', '!'];

function* grown(text: string): Generator<string> {
  for (let start = 0; start < text.length; start++)
    for (const length of [1, 2]) {
      if (start + length > text.length) break;
      const part = text.slice(start, start + length).repeat(Math.ceil(repeated / length));
      for (const rest of [text.slice(start + length), '']) {
        for (const ending of endings) yield text.slice(0, start) + part + rest + ending;
      }
    }
}

/** Whether an expression exceeds the time limit. Measures processor time; if the first run is slow, the fastest of a few runs counts. */
function isSlow(expression: RegExp, text: string): boolean {
  for (let run = 0; run < 3; run++) {
    const before = process.cpuUsage();
    if (expression.global) text.replace(expression, '');
    else expression.test(text);
    const { user, system } = process.cpuUsage(before);
    if (user + system < timeLimitMs * 1000) return false;
  }
  return true;
}

/** Random texts for expressions with lookaround that `fast-check` cannot generate matches for. */
const anyText = fc.string({ unit: fc.constantFrom(...'aA0 .:-_/,"\'\\%=+[({$#@\n'), maxLength: 6 });

function textsFor(expression: RegExp): fc.Arbitrary<string> {
  const plain = expression.source
    .replace(/\(\?<?[=!](?:[^()\\]|\\.|\((?:[^()\\]|\\.)*\))*\)/g, '')
    .replace(/\\[bB]/g, '');
  try {
    const flags = expression.flags.replace(/[gyi]/g, '');
    const matching = fc.stringMatching(new RegExp(plain, flags), { size: 'xsmall' });
    fc.sample(matching, 1);
    return matching.filter((text) => text.length < 60);
  } catch {
    return anyText;
  }
}

/** A text for which an expression takes more than linear time. Undefined if none is found. */
export function slowText(expression: RegExp): string | undefined {
  const repetitions = expression.source.match(/[*+]|\{\d+,\}/g)?.length ?? 0;
  // A single repetition at a fixed position has only one way to match.
  if (repetitions === 0 || (repetitions === 1 && /^\^[^|]*$/.test(expression.source))) return undefined;
  // A sticky expression is tried at one position only.
  if (expression.sticky) return undefined;
  for (const sample of fc.sample(textsFor(expression), { numRuns: samples, seed: 15 }))
    for (const text of grown(sample.slice(0, 10))) if (isSlow(expression, text)) return text;
  return undefined;
}
