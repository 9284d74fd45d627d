import fc from 'fast-check';

/** Characters of a repeated part, and how long an expression may then take, in milliseconds: squares take ten times as long. */
const repeated = 5000;
const patience = 4;
const samples = 4;

/** Hardly any expression ends with both of them. */
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

/** Processor time, of the quickest of a few runs if the first is slow. */
function isSlow(expression: RegExp, text: string): boolean {
  for (let run = 0; run < 3; run++) {
    const before = process.cpuUsage();
    if (expression.global) text.replace(expression, '');
    else expression.test(text);
    const { user, system } = process.cpuUsage(before);
    if (user + system < patience * 1000) return false;
  }
  return true;
}

/** Expressions that `fast-check` makes no texts for, because they look around, get texts of all kinds. */
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

/** A text on which an expression takes longer than in proportion to its length; undefined where none is found. */
export function slowText(expression: RegExp): string | undefined {
  const repetitions = expression.source.match(/[*+]|\{\d+,\}/g)?.length ?? 0;
  // A single one at a known place has but one way to go.
  if (repetitions === 0 || (repetitions === 1 && /^\^[^|]*$/.test(expression.source))) return undefined;
  // One that begins where it is told to is asked about one place only.
  if (expression.sticky) return undefined;
  for (const sample of fc.sample(textsFor(expression), { numRuns: samples, seed: 15 }))
    for (const text of grown(sample.slice(0, 10))) if (isSlow(expression, text)) return text;
  return undefined;
}
