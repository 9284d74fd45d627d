import type { GroupVersionKind } from '@apichain/meta';
import { decodeObject, type Field, type Type, type TypeKind } from '@apichain/scheme';
import { storageVersion } from '../../libs/kinds/src/conversions/hub.ts';
import { familiesOf, resourceKey } from '../../libs/kinds/src/families.ts';
import { builtinGroupVersions } from '../../libs/kinds/src/resources.ts';
import { builtinTypes, registeredKinds } from '../../libs/kinds/src/types.ts';

/** Files of the table whose types are all declared by hand in `libs/api/src/scalars.ts`. */
const scalarFiles: ReadonlySet<string> = new Set(['intstr', 'resource', 'runtime']);

/** Types of the table that @apichain/meta declares, because every layer uses them. */
const ofMeta: readonly string[] = ['ObjectMeta', 'OwnerReference', 'ManagedFieldsEntry', 'ListMeta'];

const scalars: Partial<Record<TypeKind, string>> = {
  time: 'Time',
  microTime: 'MicroTime',
  duration: 'Duration',
  quantity: 'Quantity',
  intOrString: 'IntOrString',
  bytes: 'Bytes',
  rawExtension: 'RawExtension',
  fieldsV1: 'FieldsV1',
};

/** Groups whose folder in k8s.io/api differs from the first part of their name. */
const folders: Readonly<Record<string, string>> = {
  'internal.apiserver.k8s.io': 'apiserverinternal',
  'custom.metrics.k8s.io': 'custom_metrics',
  'external.metrics.k8s.io': 'external_metrics',
};

/** `apps.v1` -> `apps/v1`, `rbac.authorization.k8s.io.v1` -> `rbac/v1`, `version` -> `version`. */
export function modulePath(groupVersion: string): string {
  const dot = groupVersion.lastIndexOf('.');
  if (dot < 0) return groupVersion;
  const group = groupVersion.slice(0, dot);
  return `${folders[group] ?? group.split('.')[0] ?? ''}/${groupVersion.slice(dot + 1)}`;
}

const alias = (groupVersion: string): string => modulePath(groupVersion).replace('/', '_');

const splitName = (name: string): readonly [groupVersion: string, name: string] => {
  const dot = name.lastIndexOf('.');
  return [name.slice(0, dot), name.slice(dot + 1)];
};

const kinds = new Map(registeredKinds().map((kind) => [kind.typeName, kind]));

/** Writes the declarations of one group-version. */
class ModuleWriter {
  readonly #groupVersion: string;
  readonly #known: ReadonlySet<string>;
  readonly #modules = new Set<string>();
  readonly #scalars = new Set<string>();
  readonly #meta = new Set<string>();

  constructor(groupVersion: string, known: ReadonlySet<string>) {
    this.#groupVersion = groupVersion;
    this.#known = known;
  }

  text(): string {
    const body = builtinTypes
      .names(this.#groupVersion)
      .toSorted()
      .map((name) => this.#declaration(name));
    const imports = [
      ...(this.#meta.size === 0 ? [] : [`import type { ${sorted(this.#meta)} } from '@apichain/meta';`]),
      ...[...this.#modules].toSorted().map((gv) => `import type * as ${alias(gv)} from '${this.#pathTo(gv)}.ts';`),
      ...(this.#scalars.size === 0
        ? []
        : [`import type { ${sorted(this.#scalars)} } from '${this.#up()}../scalars.ts';`]),
    ];
    return [header, imports.join('\n'), ...body].filter((part) => part !== '').join('\n\n') + '\n';
  }

  #up(): string {
    return modulePath(this.#groupVersion).includes('/') ? '../' : './';
  }

  #pathTo(groupVersion: string): string {
    return `${this.#up()}${modulePath(groupVersion)}`;
  }

  #declaration(name: string): string {
    const [, own] = splitName(name);
    if (this.#groupVersion === 'meta.v1' && ofMeta.includes(own)) {
      return `export type { ${own} } from '@apichain/meta';`;
    }
    const type = builtinTypes.type(name);
    const scalar = scalars[type.kind];
    // A scalar with the same name as the type is re-exported.
    if (scalar === own) return `export type { ${own} } from '${this.#up()}../scalars.ts';`;
    const isOwnStruct = type.kind === 'object' && type.name === name;
    if (!isOwnStruct) return `export type ${own} = ${this.#structure(type, name)};`;
    return `export type ${own} = ${this.#struct(type)};`;
  }

  #struct(type: Type): string {
    if (type.fields === undefined || type.fields.length === 0) return 'Record<string, never>';
    const unset = decodeObject({}, type).object;
    const kind = kinds.get(type.name ?? '');
    const identity = kind?.isObject === true || kind?.isList === true ? ['apiVersion', 'kind', 'metadata'] : [];
    const members = type.fields.map((field) => {
      const nil = unset[field.name] === null && !identity.includes(field.name) ? ' | null' : '';
      const mark = identity.includes(field.name) ? '' : '?';
      return `${choices(field)}  ${memberName(field.name)}${mark}: ${this.#expression(field.type)}${nil};`;
    });
    // An intersection with Struct would not be assignable to types with an index signature, as JsonObject.
    this.#meta.add('emptied');
    return `{\n${members.join('\n')}\n  [emptied]?: readonly string[];\n}`;
  }

  /** The TypeScript type of a field or an element. */
  #expression(type: Type): string {
    if (type.alias !== undefined && this.#known.has(type.alias)) return this.#reference(type.alias);
    return this.#structure(type, '');
  }

  /** The declaration of `name` in terms of other types. */
  #structure(type: Type, name: string): string {
    const scalar = scalars[type.kind];
    if (scalar !== undefined) return this.#scalar(scalar);
    switch (type.kind) {
      case 'object':
        return this.#reference(type.name ?? '');
      case 'array':
        return listOf(this.#element(type.items, type.itemPointer === true));
      case 'map':
        return `Record<string, ${this.#element(type.values, false)}>`;
      case 'integer':
        return type.format === 'int32' ? 'number' : this.#scalar('Int64');
      case 'json':
        return this.#json(type, name);
      default:
        return type.kind;
    }
  }

  #element(type: Type | undefined, pointer: boolean): string {
    if (type === undefined) return 'unknown';
    const nil = pointer || type.kind === 'array' || type.kind === 'map' || type.kind === 'time' ? ' | null' : '';
    return `${this.#expression(type)}${nil}`;
  }

  #json(type: Type, name: string): string {
    const { name: own, items } = type;
    if (items === undefined || own === undefined) return this.#scalar('Json');
    if (own !== name) return this.#reference(own);
    const schema = this.#reference(items.name ?? '');
    if (own.endsWith('OrBool')) return `${schema} | boolean`;
    return own.endsWith('OrStringArray') ? `${schema} | string[]` : `${schema} | (${schema} | null)[]`;
  }

  #scalar(name: string): string {
    this.#scalars.add(name);
    return name;
  }

  #reference(name: string): string {
    const [groupVersion, own] = splitName(name);
    if (scalarFiles.has(groupVersion)) return this.#scalar(own);
    if (groupVersion === 'meta.v1' && ofMeta.includes(own)) {
      this.#meta.add(own);
      return own;
    }
    if (groupVersion === this.#groupVersion) return own;
    this.#modules.add(groupVersion);
    return `${alias(groupVersion)}.${own}`;
  }
}

const header = `// Made by \`node tools/kinds/typescript.ts\` from the table of types, libs/kinds/src/generated/types. Do not edit. See libs/api/README.md.`;

const sorted = (names: ReadonlySet<string>): string => [...names].toSorted().join(', ');
const listOf = (element: string): string => (element.includes(' ') ? `(${element})[]` : `${element}[]`);
const memberName = (name: string): string => (/^[\w$]+$/.test(name) ? name : `'${name}'`);

/** The values of an enum, as a comment. Validation checks them; the type does not. */
function choices({ type }: Field): string {
  const values = type.enum ?? type.items?.enum;
  return values === undefined
    ? ''
    : `  /** ${values.map((value) => `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``).join(', ')} */\n`;
}

/** The modules with the types of every group-version of the table: path below libs/api/src/generated -> text. */
export function apiModules(groupVersions: readonly string[]): Map<string, string> {
  const written = groupVersions.filter((name) => !scalarFiles.has(name));
  const known = new Set(written.flatMap((groupVersion) => builtinTypes.names(groupVersion)));
  return new Map(
    written.map((groupVersion) => [`${modulePath(groupVersion)}.ts`, new ModuleWriter(groupVersion, known).text()]),
  );
}

/** Kinds that have columns but are not stored: subresources and computed kinds. */
const shownOnly: readonly (readonly [kind: GroupVersionKind, module: string])[] = [
  [{ group: '', version: 'v1', kind: 'ComponentStatus' }, 'core.v1'],
  [{ group: 'autoscaling', version: 'v1', kind: 'Scale' }, 'autoscaling.v1'],
];

/** A module of libs/api that maps each stored resource to the type of its objects, in their storage version. */
export function storedKinds(): string {
  const modules = new Set<string>();
  const typeIn = (groupVersion: string, kind: string): string => {
    modules.add(groupVersion);
    return `${alias(groupVersion)}.${kind}`;
  };
  const resources = new Map<string, string>();
  const kinds = new Map<string, string>();
  const add = ({ group, kind }: GroupVersionKind, type: string) => kinds.set(resourceKey(group, kind), type);
  for (const { members } of familiesOf(builtinGroupVersions)) {
    for (const { group, info } of members) {
      const hub = storageVersion(group, info.plural);
      const type = typeIn(`${hub.group === '' ? 'core' : hub.group}.${hub.version}`, info.kind.kind);
      resources.set(resourceKey(group, info.plural), type);
      add(info.kind, type);
    }
  }
  for (const [kind, groupVersion] of shownOnly) add(kind, typeIn(groupVersion, kind.kind));
  const imports = [...modules]
    .toSorted()
    .map((gv) => `import type * as ${alias(gv)} from './${modulePath(gv)}.ts';`)
    .join('\n');
  const rows = (types: ReadonlyMap<string, string>): string =>
    [...types]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, type]) => `  ${memberName(name)}: ${type};\n`)
      .join('');
  return `${header}

${imports}

/** The type of the objects of each stored resource, \`resource\` or \`resource.group\`, in its storage version. */
export interface StoredKinds {
${rows(resources)}}

/** The same by \`Kind\` or \`Kind.group\`, with the kinds that have columns and are not stored. */
export interface ShownKinds {
${rows(kinds)}}
`;
}

/** A version that is neither alpha nor beta. */
const stable = /^v\d+$/;

/** The module of libs/client with a constant for each built-in kind that can be watched, in its preferred version if that is stable. */
export function builtInKinds(): string {
  const modules = new Set<string>();
  const rows = new Map<string, string>();
  const served = builtinGroupVersions.filter(({ version, preferred }) => preferred && stable.test(version));
  for (const { group, version, resources } of served)
    for (const { info, verbs } of resources) {
      const { plural, namespaced } = info;
      const { kind } = info.kind;
      // An Event is that of the core group, whose objects both groups serve.
      if (!verbs.includes('watch') || rows.has(kind)) continue;
      const groupVersion = `${group === '' ? 'core' : group}.${version}`;
      modules.add(groupVersion);
      const reference = `{ group: '${group}', version: '${version}', kind: '${kind}', resource: '${plural}', namespaced: ${namespaced} }`;
      rows.set(kind, `  ${kind}: reference<${alias(groupVersion)}.${kind}>(${reference}),\n`);
    }
  const imports = [...modules]
    .toSorted()
    .map((gv) => `import type * as ${alias(gv)} from '@apichain/api/${modulePath(gv)}';\n`)
    .join('');
  return `${header.replace(/ See .*/, '')}

import type { KubeObject } from '@apichain/meta';
${imports}import type { KindReference } from '../kind.ts';

const reference = <Kind extends KubeObject>(kind: Omit<KindReference, 'objects'>): KindReference<Kind> => kind;

/** The kinds of Kubernetes that can be watched, each in its stable version: \`kinds.Deployment\`. */
export const kinds = {
${[...rows]
  .toSorted(([a], [b]) => (a < b ? -1 : 1))
  .map(([, row]) => row)
  .join('')}};
`;
}

/** A module of libs/api that contains every type of the table by its name there (`core.v1.PodSpec`), for tables that are keyed by types. */
export function typesByName(groupVersions: readonly string[]): string {
  const written = groupVersions.filter((name) => !scalarFiles.has(name));
  const imports = written
    .map((gv) => `import type * as ${alias(gv)} from './${modulePath(gv)}.ts';\n`)
    .toSorted()
    .join('');
  const rows = written
    .flatMap((gv) => builtinTypes.names(gv).map((name) => `  '${name}': ${alias(gv)}.${splitName(name)[1]};\n`))
    .toSorted();
  return `${header}\n\n${imports}\n/** The types by their names in the table of types. */\nexport interface TypesByName {\n${rows.join('')}}\n`;
}
