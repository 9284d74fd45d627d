import { formerValues, maxLiteralPath, NestedSteps, type Occurrence, type RepeatedMembers } from '@apichain/meta';

/** A value of the wrong type or form; the message is the one the API server passes on. */
export class DecodeError extends Error {
  override readonly name = 'DecodeError';
}

/** Go's decoder stops collecting here. */
const maxUnknownFields = 100;
/** Characters of paths that are looked at for unknown fields: paths may be as long as the document. */
const maxUnknownText = 1 << 20;
/** Values that a repeated member had before are read for their faults; of those within such values no deeper than this. */
const maxFormerDepth = 8;

/** A value of the wrong JSON type: what Go calls an UnmarshalTypeError. */
class WrongTypeError extends DecodeError {
  readonly value: string;
  readonly goType: string;
  /** The struct fields on the way, `spec.volumes.VolumeSource.hostPath`; '' outside of any. */
  readonly field: string;
  constructor(message: string, value: string, goType: string, field: string) {
    super(message);
    this.value = value;
    this.goType = goType;
    this.field = field;
  }
}

const atOnce = new NestedSteps();

/** Where a decoder is in the document, and what it has found so far. One a call of decodeObject. */
export class DecodeState {
  readonly unknownFields: string[] = [];
  readonly literals: ReadonlyMap<string, string> | undefined;
  readonly keepEmpty: boolean;
  /** As the object comes back from the store, which knows no empty list: it is null there. */
  readonly canonical: boolean;
  /** See DecodeOptions. */
  readonly unstructured: boolean;
  /** Whether the document names a member of an object twice. */
  readonly repeats: boolean;
  /** Where `repeats`: what is known of the place that each pair of `steps` leads to, after that of the root. */
  readonly #repeatsAt: (RepeatedMembers | undefined)[] = [];
  /**
   * Alternates step and owner: a struct field and its struct's Go name, a map key and '', an index and ''. The names of inline
   * structs that hold the field follow the struct's: `Volume.VolumeSource`.
   */
  readonly #steps: (string | number)[] = [];
  /** How many entries of `steps` count; the rest is left over from deeper places. */
  #depth = 0;
  readonly #goesOn: boolean;
  #firstError: DecodeError | undefined;
  #unknownText = 0;
  #formerDepth = 0;
  /** The map without members that was decoded last. */
  emptyMap: object | undefined;
  readonly #nestedSteps: NestedSteps;

  /**
   * `goesOn` = like Go's decoder, a value of the wrong type is noted and what comes after it is still read, until `finish`:
   * a later value that cannot be read at all is what gets reported. Otherwise the first of them is thrown at once. Without
   * `nestedSteps` everything is read in one step.
   */
  constructor(
    literals: ReadonlyMap<string, string> | undefined,
    keepEmpty: boolean,
    canonical: boolean,
    goesOn = false,
    unstructured = false,
    repeats?: RepeatedMembers,
    nestedSteps = atOnce,
  ) {
    this.#nestedSteps = nestedSteps;
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

  /** `enter` for a value that is not the one which the document has there in the end. */
  enterOccurrence(step: string | number, owner: string, { repeats }: Occurrence): void {
    this.enter(step, owner);
    if (this.repeats) this.#repeatsAt[this.#depth / 2] = repeats;
  }

  /** Of the container that is read. */
  #repeatsHere(): RepeatedMembers | undefined {
    return this.repeats ? this.#repeatsAt[this.#depth / 2] : undefined;
  }

  /** What a member of the container that is read was before the value that it has. Empty unless `repeats`. */
  formerValues(key: string): readonly Occurrence[] {
    return formerValues(this.#repeatsHere(), key);
  }

  /** A member of the container that is read, as it is in the end. */
  lastOccurrence(key: string, value: unknown): Occurrence {
    return { value, repeats: this.#repeatsHere()?.within.get(key) };
  }

  leave(): void {
    this.#depth -= 2;
  }

  /** See NestedSteps. */
  isStepDone(): boolean {
    return this.#nestedSteps.isStepDone();
  }

  /** Has the rest of a container read in a later step. */
  suspend<Arguments extends unknown[]>(goOn: (...given: Arguments) => void, ...given: Arguments): void {
    const depth = this.#depth;
    this.#nestedSteps.suspend(() => {
      // What was deeper has been read, so the steps up to here are still those of the container.
      this.#depth = depth;
      goOn(...given);
    });
  }

  /** `spec.containers[0].name`, as unknown-field errors spell it. */
  path(): string {
    let path = '';
    for (let i = 0; i < this.#depth; i += 2) {
      const step = this.#steps[i];
      if (typeof step === 'number') path += `[${step}]`;
      else path += path === '' ? (step ?? '') : `.${step ?? ''}`;
    }
    return path;
  }

  /** How a number was written, where the value no longer shows it. */
  literal(): string | undefined {
    if (this.literals === undefined) return undefined;
    let length = 0;
    for (let i = 0; i < this.#depth; i += 2) {
      const step = this.#steps[i];
      length += 1 + (typeof step === 'string' ? step.length : 0);
      // The reader of JSON notes none there.
      if (length > 2 * maxLiteralPath) return undefined;
    }
    return this.literals.get(this.path());
  }

  /** Reads values that a repeated member had before, in one step. */
  readFormer(values: readonly Occurrence[], read: (occurrence: Occurrence) => void): void {
    if (values.length === 0 || this.#formerDepth >= maxFormerDepth) return;
    this.#formerDepth++;
    this.#nestedSteps.atOnce(() => {
      for (const occurrence of values) if (occurrence.value !== null) read(occurrence);
    });
    this.#formerDepth--;
  }

  unknownField(name: string): void {
    if (this.unknownFields.length >= maxUnknownFields || this.#unknownText > maxUnknownText) return;
    const parent = this.path();
    const path = parent === '' ? name : `${parent}.${name}`;
    this.#unknownText += path.length;
    if (!this.unknownFields.includes(path)) this.unknownFields.push(path);
  }

  /** Notes or throws the error of a value of the wrong type. What it returns is never used: the object is not. */
  wrongType(value: string, goType: string): undefined {
    // Only the first is told: an error for each item of a long list takes long to make.
    if (this.#firstError !== undefined) return undefined;
    return this.fail(this.#errorHere(value, goType));
  }

  /** The same of any other error that does not keep Go's decoder from reading on. */
  fail(error: DecodeError): undefined {
    if (!this.#goesOn) throw error;
    this.#firstError ??= error;
    return undefined;
  }

  /**
   * Throws it in any case: types that read their text themselves (times, quantities, ...) end the reading. `inside` = the
   * struct fields below this place.
   */
  endWithWrongType(value: string, goType: string, inside = ''): never {
    throw this.#errorHere(value, goType, inside);
  }

  /** Throws what was noted. */
  finish(): void {
    if (this.#firstError !== undefined) throw this.#firstError;
  }

  /**
   * What Go's UnmarshalTypeError prints; only struct fields, and the inline structs that hold them, count in its path. The
   * innermost struct of the path names it, but not one that is read on its own, of which there is only the path.
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
   * Runs a decoder that reads its part of the document on its own, an element where `index` is given; a wrong type in there is reported
   * from this place on.
   */
  nested<T>(run: (inner: DecodeState) => T, index?: number): T {
    const here = this.#repeatsHere();
    const repeats = index === undefined ? here : here?.within.get(index);
    const steps = new NestedSteps(this.#nestedSteps.budget);
    const inner = new DecodeState(undefined, this.keepEmpty, this.canonical, this.#goesOn, false, repeats, steps);
    return this.#within(inner, () => run(inner));
  }

  #within<T>(inner: DecodeState, run: () => T): T {
    try {
      const value = run();
      if (inner.#nestedSteps.goOn()) inner.finish();
      else this.suspend(() => this.#within(inner, () => undefined));
      return value;
    } catch (error) {
      if (error instanceof WrongTypeError) return this.endWithWrongType(error.value, error.goType, error.field);
      throw error;
    }
  }
}
