import { formerValues, maxLiteralPath, type Occurrence, type RepeatedMembers } from '@apichain/meta';

/** A value of the wrong type or form. The message is that of the API server's response. */
export class DecodeError extends Error {
  override readonly name = 'DecodeError';
}

/** The number of unknown fields after which Go's decoder stops collecting. */
const maxUnknownFields = 100;
/** The most characters of paths that are searched for unknown fields, because paths may be as long as the document. */
const maxUnknownText = 1 << 20;
/** Earlier values of repeated members are checked for errors. Such values may be nested; the check stops at this depth. */
const maxFormerDepth = 8;

/** A value of the wrong JSON type, Go's UnmarshalTypeError. */
class WrongTypeError extends DecodeError {
  readonly value: string;
  readonly goType: string;
  /** The path of struct fields, `spec.volumes.VolumeSource.hostPath`; empty outside of a struct. */
  readonly field: string;
  constructor(message: string, value: string, goType: string, field: string) {
    super(message);
    this.value = value;
    this.goType = goType;
    this.field = field;
  }
}

/** The decoder's position in the document, and its findings so far. Each call of decodeObject has its own. */
export class DecodeState {
  readonly unknownFields: string[] = [];
  readonly literals: ReadonlyMap<string, string> | undefined;
  readonly keepEmpty: boolean;
  /** Whether the result has the form of a stored object. Stored objects have no empty lists: they are null. */
  readonly canonical: boolean;
  /** See DecodeOptions. */
  readonly unstructured: boolean;
  /** Whether an object of the document repeats a member. */
  readonly repeats: boolean;
  /** The repeated members at the root, then those at the place of each pair of `steps`. Only used if `repeats`. */
  readonly #repeatsAt: (RepeatedMembers | undefined)[] = [];
  /**
   * Alternates step and owner: a struct field and its struct's Go name, a map key and '', an index and ''. The names of inline structs that
   * contain the field follow the struct's name: `Volume.VolumeSource`.
   */
  readonly #steps: (string | number)[] = [];
  /** The number of valid entries in `steps`. The rest remains from deeper positions. */
  #depth = 0;
  readonly #goesOn: boolean;
  #firstError: DecodeError | undefined;
  #unknownText = 0;
  #formerDepth = 0;
  /** The empty map that was decoded last. */
  emptyMap: object | undefined;

  /**
   * `goesOn` = like Go's decoder, record a value of the wrong type and read on until `finish`. A later value that cannot be read at all
   * takes precedence over it. Otherwise the first error is thrown at once.
   */
  constructor(
    literals: ReadonlyMap<string, string> | undefined,
    keepEmpty: boolean,
    canonical: boolean,
    goesOn = false,
    unstructured = false,
    repeats?: RepeatedMembers,
  ) {
    this.literals = literals !== undefined && literals.size > 0 ? literals : undefined;
    this.keepEmpty = keepEmpty;
    this.canonical = canonical;
    this.#goesOn = goesOn;
    this.unstructured = unstructured;
    this.repeats = repeats !== undefined;
    if (repeats !== undefined) this.#repeatsAt.push(repeats);
  }

  enter(step: string | number, owner: string): void {
    if (this.repeats) this.#repeatsAt[this.#depth / 2 + 1] = this.#repeatsHere()?.within.get(step);
    this.#steps[this.#depth++] = step;
    this.#steps[this.#depth++] = owner;
  }

  /** `enter` for an earlier value of a repeated member. */
  enterOccurrence(step: string | number, owner: string, { repeats }: Occurrence): void {
    this.enter(step, owner);
    if (this.repeats) this.#repeatsAt[this.#depth / 2] = repeats;
  }

  /** The repeated members of the current container. */
  #repeatsHere(): RepeatedMembers | undefined {
    return this.repeats ? this.#repeatsAt[this.#depth / 2] : undefined;
  }

  /** The earlier values of a member of the current container. Empty unless `repeats`. */
  formerValues(key: string): readonly Occurrence[] {
    return formerValues(this.#repeatsHere(), key);
  }

  /** The last value of a member of the current container. */
  lastOccurrence(key: string, value: unknown): Occurrence {
    return { value, repeats: this.#repeatsHere()?.within.get(key) };
  }

  leave(): void {
    this.#depth -= 2;
  }

  /** The current path as in unknown-field errors: `spec.containers[0].name`. */
  path(): string {
    let path = '';
    for (let i = 0; i < this.#depth; i += 2) {
      const step = this.#steps[i];
      if (typeof step === 'number') path += `[${step}]`;
      else path += path === '' ? (step ?? '') : `.${step ?? ''}`;
    }
    return path;
  }

  /** The literal of the current number, if the value does not preserve it. */
  literal(): string | undefined {
    if (this.literals === undefined) return undefined;
    let length = 0;
    for (let i = 0; i < this.#depth; i += 2) {
      const step = this.#steps[i];
      length += 1 + (typeof step === 'string' ? step.length : 0);
      // The JSON reader records no literals at longer paths.
      if (length > 2 * maxLiteralPath) return undefined;
    }
    return this.literals.get(this.path());
  }

  /** Reads the earlier values of a repeated member. */
  readFormer(values: readonly Occurrence[], read: (occurrence: Occurrence) => void): void {
    if (values.length === 0 || this.#formerDepth >= maxFormerDepth) return;
    this.#formerDepth++;
    for (const occurrence of values) if (occurrence.value !== null) read(occurrence);
    this.#formerDepth--;
  }

  unknownField(name: string): void {
    if (this.unknownFields.length >= maxUnknownFields || this.#unknownText > maxUnknownText) return;
    const parent = this.path();
    const path = parent === '' ? name : `${parent}.${name}`;
    this.#unknownText += path.length;
    if (!this.unknownFields.includes(path)) this.unknownFields.push(path);
  }

  /** Records or throws the error of a value of the wrong type. The returned value is not used, because the decoded object is discarded. */
  wrongType(value: string, goType: string): undefined {
    // Only the first error is reported. Building an error for each item of a long list would take long.
    if (this.#firstError !== undefined) return undefined;
    return this.fail(this.#errorHere(value, goType));
  }

  /** Records or throws another error after which Go's decoder reads on. */
  fail(error: DecodeError): undefined {
    if (!this.#goesOn) throw error;
    this.#firstError ??= error;
    return undefined;
  }

  /**
   * Always throws: Go stops decoding when a type with its own decoder (time, quantity, ...) fails. `inside` is the path of struct fields
   * below the current position.
   */
  endWithWrongType(value: string, goType: string, inside = ''): never {
    throw this.#errorHere(value, goType, inside);
  }

  /** Throws the recorded error, if there is one. */
  finish(): void {
    if (this.#firstError !== undefined) throw this.#firstError;
  }

  /**
   * The error with the message of Go's UnmarshalTypeError. Its path contains only struct fields and the inline structs around them. The
   * message begins with the name of the innermost struct, but not of a struct that a separate decoder reads. Of that struct, only the path
   * is known.
   */
  #errorHere(value: string, goType: string, inside = ''): WrongTypeError {
    let struct = '';
    const names: string[] = [];
    for (let i = 0; i < this.#depth; i += 2) {
      const owner = this.#steps[i + 1];
      if (owner === '' || owner === undefined) continue;
      const [outer = '', ...inline] = String(owner).split('.');
      struct = outer;
      names.push(...inline, String(this.#steps[i]));
    }
    if (inside !== '') names.push(inside);
    const field = names.join('.');
    const into = struct === '' ? 'value' : `struct field ${struct}.${field}`;
    return new WrongTypeError(
      `json: cannot unmarshal ${value} into Go ${into} of type ${goType}`,
      value,
      goType,
      field,
    );
  }

  /**
   * Runs a decoder that decodes its part of the document separately; an element if `index` is given. A wrong type in that part is reported
   * with the path from the current position.
   */
  nested<T>(run: (inner: DecodeState) => T, index?: number): T {
    const here = this.#repeatsHere();
    const repeats = index === undefined ? here : here?.within.get(index);
    const inner = new DecodeState(undefined, this.keepEmpty, this.canonical, this.#goesOn, false, repeats);
    try {
      const value = run(inner);
      inner.finish();
      return value;
    } catch (error) {
      if (error instanceof WrongTypeError) return this.endWithWrongType(error.value, error.goType, error.field);
      throw error;
    }
  }
}
