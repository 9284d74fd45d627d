import { errorMessage } from '@apichain/meta';
import { hasPrefix, type PlainValue, type ValueTransformer } from '@apichain/storage';

/** A transformer whose values begin with `prefix`; '' = any value. */
export interface PrefixTransformer {
  readonly prefix: string;
  readonly transformer: ValueTransformer;
}

interface Candidate {
  readonly prefix: Buffer;
  readonly transformer: ValueTransformer;
  /** True when another transformer writes: values read with this one are rewritten at the next update. */
  readonly stale: boolean;
}

/** The error of a single failure, or all distinct errors in brackets. */
function aggregate(errors: readonly unknown[], noMatch: string): Error {
  const messages = [...new Set(errors.map(errorMessage))];
  const [first] = messages;
  if (first === undefined) return new Error(noMatch);
  return new Error(messages.length === 1 ? first : `[${messages.join(', ')}]`, { cause: errors[0] });
}

const concatenated = (prefix: Buffer, value: Buffer): Buffer =>
  prefix.length === 0 ? value : Buffer.concat([prefix, value]);

/**
 * Writes with the first transformer, reads with each transformer whose prefix the value has. Throws the errors of the matching transformers, or
 * `noMatch`. Is synchronous where the transformer is. Source: prefixTransformers of k8s.io/apiserver/pkg/storage/value.
 */
export function prefixTransformers(noMatch: string, list: readonly PrefixTransformer[]): ValueTransformer {
  const candidates: Candidate[] = list.map(({ prefix, transformer }, i) => ({
    prefix: Buffer.from(prefix),
    transformer,
    stale: i > 0,
  }));
  const [writer] = candidates;
  if (writer === undefined) throw new Error(noMatch);

  const read = (
    from: number,
    errors: unknown[],
    stored: Buffer,
    authenticatedData: Buffer,
  ): PlainValue | Promise<PlainValue> => {
    for (let i = from; i < candidates.length; i++) {
      const candidate = candidates[i];
      if (candidate === undefined || !hasPrefix(stored, candidate.prefix)) continue;
      const mark = ({ plain, stale }: PlainValue): PlainValue => ({ plain, stale: stale || candidate.stale });
      const failed = (error: unknown) => {
        // The error of the identity transformer (the value is encrypted) does not explain why the matching transformers failed.
        if (candidate.prefix.length > 0) errors.push(error);
      };
      try {
        const value = candidate.transformer.fromStorage(stored.subarray(candidate.prefix.length), authenticatedData);
        if (!(value instanceof Promise)) return mark(value);
        return value.then(mark, (error: unknown) => {
          failed(error);
          return read(i + 1, errors, stored, authenticatedData);
        });
      } catch (error) {
        failed(error);
      }
    }
    throw aggregate(errors, noMatch);
  };

  return {
    toStorage: (plain, authenticatedData) => {
      const value = writer.transformer.toStorage(plain, authenticatedData);
      return value instanceof Promise
        ? value.then((encrypted) => concatenated(writer.prefix, encrypted))
        : concatenated(writer.prefix, value);
    },
    fromStorage: (stored, authenticatedData) => read(0, [], stored, authenticatedData),
  };
}
