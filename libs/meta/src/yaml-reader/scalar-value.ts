import { JsonNumberError } from '../json-reader/json-error.ts';
import { YamlError } from '../yaml-error.ts';
import { resolvePlain } from '../yaml-scalar.ts';
import type { ScalarNode } from './composer.ts';

const standard = 'tag:yaml.org,2002:';
const typedScalar = /^(?:int|float|bool|null|timestamp)$/;
const timestamp = /^\d{4}-\d{1,2}-\d{1,2}(?:[Tt\s].*)?$/;
const base64 = /^[A-Za-z\d+/]*={0,2}$/;

function toFiniteNumber(value: number): number {
  if (Number.isFinite(value)) return value;
  throw new JsonNumberError(`json: unsupported value: ${Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf'}`);
}

function integerValue(value: bigint): number | bigint {
  const number = Number(value);
  // Integers beyond int64 are floats, as in the JSON that Go makes of the YAML.
  return Number.isSafeInteger(number) || BigInt.asIntN(64, value) !== value ? number : value;
}

function binaryText(text: string): string {
  const digits = text.replace(/[\r\n]/g, '');
  if (digits.length % 4 !== 0 || !base64.test(digits))
    throw new YamlError('yaml: !!binary value contains invalid base64 data');
  return Buffer.from(digits, 'base64').toString('utf8');
}

/**
 * The JSON value of a scalar. Throws YamlError, and JsonNumberError for numbers that JSON cannot express. Source: resolve.go of
 * go.yaml.in/yaml/v2.
 */
export function scalarValue({ text, isPlain, tag }: ScalarNode): unknown {
  const wanted = tag?.startsWith(standard) === true ? tag.slice(standard.length) : undefined;
  if (wanted === 'binary') return binaryText(text);
  const isTyped = wanted !== undefined && typedScalar.test(wanted);
  if (!isPlain && !isTyped) return text;
  const meaning = resolvePlain(text);
  if (wanted === 'timestamp' && timestamp.test(text)) return text;
  if (isTyped && meaning.kind !== wanted && !(wanted === 'float' && meaning.kind === 'int'))
    throw new YamlError(
      `yaml: cannot decode !!${meaning.kind === 'string' ? 'str' : meaning.kind} \`${text}\` as a !!${wanted}`,
    );
  switch (meaning.kind) {
    case 'null':
      return null;
    case 'bool':
      return meaning.value;
    case 'int':
      return integerValue(meaning.value);
    case 'float':
      return toFiniteNumber(meaning.value);
    default:
      return text;
  }
}
