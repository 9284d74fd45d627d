import {
  formatGroupVersion,
  parseGroupVersion,
  type GroupVersion,
  type GroupVersionKind,
  type KubeObject,
} from '@apichain/meta';
import type { Type } from './type.ts';

/** A kind the scheme does not know; the message is apimachinery's. */
export class NotRegisteredError extends Error {
  override readonly name = 'NotRegisteredError';
}
/** A document without kind or apiVersion. */
export class MissingTypeMetaError extends Error {
  override readonly name = 'MissingTypeMetaError';
}
/** Two kinds that no registered function, alone or through the hub, converts between. */
export class ConversionError extends Error {
  override readonly name = 'ConversionError';
}
/** A label that a field selector may not use for the kind. */
export class FieldLabelError extends Error {
  override readonly name = 'FieldLabelError';
}

/** Renames or refuses one `label=value` of a field selector. Throws FieldLabelError. */
export type FieldLabelConversion = (label: string, value: string) => readonly [label: string, value: string];
/** Sets defaults on an object in place. */
export type DefaultingFunction = (object: KubeObject) => void;
/** Gives the object in another version; may change and return its argument, never its apiVersion and kind, which the scheme sets. */
export type ConversionFunction = (object: KubeObject) => KubeObject;
/** A type, or how to get it: tables are read when first needed. */
export type TypeSource = Type | (() => Type);

export interface KindOptions {
  /** Kinds such as Status and APIGroup that are the same in every version. */
  unversioned?: boolean;
}

interface Registration {
  readonly gvk: GroupVersionKind;
  readonly source: TypeSource;
  readonly unversioned: boolean;
}

const keyOf = (gvk: GroupVersionKind): string => `${gvk.group}/${gvk.version}/${gvk.kind}`;
const sameVersion = (a: GroupVersion, b: GroupVersion): boolean => a.group === b.group && a.version === b.version;

/** Field selectors of kinds without a conversion of their own. */
export const defaultFieldLabelConversion: FieldLabelConversion = (label, value) => {
  if (label === 'metadata.name' || label === 'metadata.namespace') return [label, value];
  throw new FieldLabelError(`"${label}" is not a known field selector: only "metadata.name", "metadata.namespace"`);
};

/** The gvk an object says it is. Throws Error on an apiVersion with more than one slash. */
export function groupVersionKindOf(object: Pick<KubeObject, 'apiVersion' | 'kind'>): GroupVersionKind {
  return { ...parseGroupVersion(object.apiVersion), kind: object.kind };
}

/**
 * Which kinds exist in which versions, and what may be done with them: types, defaults, conversion through one hub version
 * a group-kind (the storage version), field labels. Registration happens once at start; every lookup is a map access.
 * Defined by k8s.io/apimachinery/pkg/runtime.Scheme.
 */
export class Scheme {
  /** What error texts call this scheme, e.g. `pkg/apiserver/apiserver.go:55`. */
  readonly name: string;
  readonly #kinds = new Map<string, Registration>();
  readonly #versions = new Map<string, string[]>();
  readonly #fieldLabels = new Map<string, FieldLabelConversion>();
  readonly #defaulters = new Map<string, DefaultingFunction>();
  readonly #conversions = new Map<string, ConversionFunction>();
  readonly #hubs = new Map<string, GroupVersion>();

  constructor(name: string) {
    this.name = name;
  }

  /** Adds a kind; the last registration of a gvk wins. A group's versions keep the order in which they first appear. */
  register(gvk: GroupVersionKind, source: TypeSource, options: KindOptions = {}): void {
    this.#kinds.set(keyOf(gvk), { gvk, source, unversioned: options.unversioned === true });
    const versions = this.#versions.get(gvk.group) ?? [];
    if (!versions.includes(gvk.version)) versions.push(gvk.version);
    this.#versions.set(gvk.group, versions);
  }

  recognizes(gvk: GroupVersionKind): boolean {
    return this.#kinds.has(keyOf(gvk));
  }

  isUnversioned(gvk: GroupVersionKind): boolean {
    return this.#kinds.get(keyOf(gvk))?.unversioned === true;
  }

  /** Throws NotRegisteredError: `no kind "X" is registered for version "g/v" in scheme "..."`. */
  typeOf(gvk: GroupVersionKind): Type {
    const registration = this.#kinds.get(keyOf(gvk));
    if (registration === undefined) throw this.notRegistered(gvk);
    return typeof registration.source === 'function' ? registration.source() : registration.source;
  }

  notRegistered(gvk: GroupVersionKind): NotRegisteredError {
    if (gvk.version === '__internal') {
      return new NotRegisteredError(
        `no kind "${gvk.kind}" is registered for the internal version of group "${gvk.group}" in scheme "${this.name}"`,
      );
    }
    const hasVersion = this.#versions.get(gvk.group)?.includes(gvk.version) === true;
    return new NotRegisteredError(
      hasVersion || gvk.kind !== ''
        ? `no kind "${gvk.kind}" is registered for version "${formatGroupVersion(gvk)}" in scheme "${this.name}"`
        : `no version "${formatGroupVersion(gvk)}" has been registered in scheme "${this.name}"`,
    );
  }

  /** Every gvk of a group-version, in order of registration. */
  kindsOf(gv: GroupVersion): GroupVersionKind[] {
    return [...this.#kinds.values()].map((entry) => entry.gvk).filter((gvk) => sameVersion(gvk, gv));
  }

  allKinds(): GroupVersionKind[] {
    return [...this.#kinds.values()].map((entry) => entry.gvk);
  }

  groups(): string[] {
    return [...this.#versions.keys()];
  }

  /** Preferred versions of a group first; versions not named keep their place after them. */
  setVersionPriority(group: string, versions: readonly string[]): void {
    const known = this.#versions.get(group) ?? [];
    const unknown = versions.find((version) => !known.includes(version));
    if (unknown !== undefined) throw new Error(`version ${unknown} of group "${group}" is not registered`);
    this.#versions.set(group, [...versions, ...known.filter((version) => !versions.includes(version))]);
  }

  prioritizedVersions(group: string): GroupVersion[] {
    return (this.#versions.get(group) ?? []).map((version) => ({ group, version }));
  }

  addFieldLabelConversion(gvk: GroupVersionKind, convert: FieldLabelConversion): void {
    this.#fieldLabels.set(keyOf(gvk), convert);
  }

  /** Throws FieldLabelError for a label that the kind's field selectors do not know. */
  convertFieldLabel(gvk: GroupVersionKind, label: string, value: string): readonly [label: string, value: string] {
    return (this.#fieldLabels.get(keyOf(gvk)) ?? defaultFieldLabelConversion)(label, value);
  }

  addDefaulting(gvk: GroupVersionKind, setDefaults: DefaultingFunction): void {
    this.#defaulters.set(keyOf(gvk), setDefaults);
  }

  /** Sets the kind's defaults in place; nothing happens for a kind without any. */
  applyDefaults(gvk: GroupVersionKind, object: KubeObject): void {
    this.#defaulters.get(keyOf(gvk))?.(object);
  }

  /** Names the storage version of a kind, through which its other versions convert. */
  setHub(hub: GroupVersionKind): void {
    this.#hubs.set(`${hub.group}/${hub.kind}`, { group: hub.group, version: hub.version });
  }

  addConversion(from: GroupVersionKind, to: GroupVersionKind, convert: ConversionFunction): void {
    this.#conversions.set(`${keyOf(from)}>${keyOf(to)}`, convert);
  }

  /**
   * The object as the other kind: itself when it is that already, else by the function for the pair, else through the hub.
   * Throws ConversionError `converting (v1.Deployment) to (autoscaling.Scale): unknown conversion`.
   */
  convert(object: KubeObject, to: GroupVersionKind): KubeObject {
    const from = groupVersionKindOf(object);
    if (sameVersion(from, to) && from.kind === to.kind) return object;
    const direct = this.#step(object, from, to);
    if (direct !== undefined) return direct;
    const hub = this.#hubs.get(`${from.group}/${from.kind}`);
    if (hub !== undefined) {
      const through = { ...hub, kind: from.kind };
      const middle = sameVersion(from, hub) ? object : this.#step(object, from, through);
      const converted = middle === undefined ? undefined : this.#step(middle, through, to);
      if (converted !== undefined) return converted;
    }
    // The original converts to the internal version, which lives in a package named after the group.
    const internal = to.group === '' ? 'core' : (to.group.split('.')[0] ?? '');
    throw new ConversionError(
      `converting (${from.version}.${from.kind}) to (${internal}.${to.kind}): unknown conversion`,
    );
  }

  #step(object: KubeObject, from: GroupVersionKind, to: GroupVersionKind): KubeObject | undefined {
    const convert = this.#conversions.get(`${keyOf(from)}>${keyOf(to)}`);
    if (convert === undefined) return undefined;
    const converted = convert(object);
    converted.apiVersion = formatGroupVersion(to);
    converted.kind = to.kind;
    return converted;
  }
}
