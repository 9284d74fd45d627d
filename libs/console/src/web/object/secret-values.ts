import { isScalar, parseDocument, Scalar, visit, type Document } from 'yaml';
import { fields, type StoredObject } from '../api/stored-object.ts';
import { yamlFormat as format, yamlVersion as options } from './manifest.ts';

const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';
const token = /^‹hidden (\d+), \d+ bytes›$/;

/** A value of a Secret. */
export interface SecretValue {
  readonly key: string;
  readonly bytes: number;
}

/**
 * Hides the values of a Secret in texts that are shown, edited and compared: in the place of each is a token, the same one for the same value. A text
 * that is written has the values again, so that a field that nobody has changed stays as it is. One object is for the texts of one Secret.
 */
export class HiddenValues {
  readonly #values: string[] = [];

  /** The YAML with a token in the place of every value of `data` and `stringData`, and of the whole configuration that kubectl has last applied. */
  hide(text: string): string {
    const document = parseDocument(text, options);
    const hideAt = (path: readonly string[], sizeOf: (value: string) => number) => {
      const node = document.getIn(path, true);
      if (!isScalar(node) || typeof node.value !== 'string' || node.value === '' || token.test(node.value)) return;
      document.setIn(path, new Scalar(this.#tokenOf(node.value, sizeOf(node.value))));
    };
    for (const { key } of valuesIn(document, 'data')) hideAt(['data', key], decodedLength);
    for (const { key } of valuesIn(document, 'stringData')) hideAt(['stringData', key], lengthOf);
    hideAt(['metadata', 'annotations', lastApplied], lengthOf);
    return document.toString(format);
  }

  /** The same for an object: a copy. */
  hideIn(object: StoredObject): StoredObject {
    const hidden = (values: unknown, sizeOf: (value: string) => number, names?: readonly string[]) =>
      Object.fromEntries(
        Object.entries(fields(values)).map(([key, value]) => {
          const isHidden = typeof value === 'string' && value !== '' && names?.includes(key) !== false;
          return [key, isHidden ? this.#tokenOf(value, sizeOf(value)) : value];
        }),
      );
    const { data, stringData, metadata } = object;
    const { annotations } = metadata;
    return {
      ...object,
      ...(data === undefined ? {} : { data: hidden(data, decodedLength) }),
      ...(stringData === undefined ? {} : { stringData: hidden(stringData, lengthOf) }),
      ...(annotations === undefined
        ? {}
        : { metadata: { ...metadata, annotations: hidden(annotations, lengthOf, [lastApplied]) } }),
    } as StoredObject;
  }

  /**
   * The YAML with the values. A text that is not valid YAML stays as it is: the server says what is wrong with it. Throws Error when a token is a part of
   * another value.
   */
  reveal(text: string): string {
    const document = parseDocument(text, options);
    if (document.errors.length > 0) return text;
    visit(document, {
      Scalar: (_key, node) => {
        const at = typeof node.value === 'string' ? token.exec(node.value)?.[1] : undefined;
        const value = at === undefined ? undefined : this.#values[Number(at) - 1];
        if (value !== undefined) Object.assign(node, { value, type: Scalar.PLAIN });
      },
    });
    const revealed = document.toString(format);
    if (revealed.includes('‹hidden ')) throw new Error('A hidden value must stand alone: decode it, and write it out.');
    return revealed;
  }

  #tokenOf(value: string, bytes: number): string {
    const known = this.#values.indexOf(value) + 1;
    return `‹hidden ${known > 0 ? known : this.#values.push(value)}, ${bytes} bytes›`;
  }
}

/** The keys of `data` with the size of what they hold. */
export const secretValues = (text: string): readonly SecretValue[] =>
  valuesIn(parseDocument(text, options), 'data').map(({ key, value }) => ({ key, bytes: decodedLength(value) }));

/** The value of a key as text; undefined when it is not UTF-8. */
export function decoded(text: string, key: string): string | undefined {
  const value = valuesIn(parseDocument(text, options), 'data').find((one) => one.key === key)?.value ?? '';
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytesOf(value));
  } catch (error) {
    // The bytes are no text.
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

function valuesIn(document: Document, field: string): { readonly key: string; readonly value: string }[] {
  const { [field]: values } = (document.toJS() ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof values !== 'object' || values === null) return [];
  return Object.entries(values).map(([key, value]) => ({ key, value: typeof value === 'string' ? value : '' }));
}

const bytesOf = (base64: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(base64.replaceAll(/\s/g, '')), (character) => character.charCodeAt(0));

/** Of base64, without decoding it: what somebody has typed may be wrong. */
const decodedLength = (base64: string): number => Math.floor((base64.replaceAll(/[\s=]/g, '').length * 3) / 4);

const lengthOf = (value: string): number => new TextEncoder().encode(value).length;
