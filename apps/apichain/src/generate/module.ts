import { compareText, compareVersions, isRecord, record } from '@apichain/meta';
import type { KindSchema, SchemaDocument } from './kind-schemas.ts';
import { hasProperties, importable, jsDoc, kindType, stringLiteral, typeOf, type TypeScope } from './type-writer.ts';

/** The schema of ObjectMeta in OpenAPI documents. */
const objectMeta = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';

/**
 * A module of TypeScript with a type and a constant of the same name for each kind: `controller({ for: Widget })`, `client.get({ ...Widget, namespace }, name)`.
 * The most preferred version of a kind has its name, others have that of the version behind it; kinds of the same name in several groups have the first part of
 * their group before it. Throws Error for kinds whose names cannot be told apart.
 */
export function moduleOf(documents: readonly SchemaDocument[]): string {
  const names = new Names(documents.flatMap(({ kinds }) => kinds));
  const used = new Set<string>();
  const declarations = documents.flatMap(({ kinds, components }) => {
    const scope = new DocumentScope(components, names, used);
    const declared = kinds.map((kind) => declarationOf(kind, names.ofKind(kind), names, scope));
    return [...declared, ...scope.declarations()];
  });
  const imports = `import type { ${[...used].sort().join(', ')} } from 'apichain/client';`;
  return `// Made by \`apichain generate types\`. Do not edit.\n\n${imports}\n\n${declarations.join('\n')}`;
}

/** `my-kind` -> `MyKind`: a name of TypeScript that begins with a capital letter, and is no word of the language. */
function identifier(text: string): string {
  const name = text
    .split(/[^A-Za-z0-9]+/)
    .map((part) => part.slice(0, 1).toUpperCase() + part.slice(1))
    .join('');
  return /^[A-Z]/.test(name) ? name : `Kind${name}`;
}

const qualified = ({ group, version, kind }: KindSchema): string => `${group}/${version} ${kind}`;

/** The names of the types of a module. */
class Names {
  readonly #taken = new Set<string>(importable);
  readonly #ofKinds = new Map<string, string>();

  constructor(kinds: readonly KindSchema[]) {
    const sorted = kinds.toSorted((a, b) => compareText(a.group, b.group) || compareVersions(a.version, b.version));
    const groups = new Map<string, Set<string>>();
    for (const { kind, group } of sorted) {
      const name = identifier(kind);
      groups.set(name, (groups.get(name) ?? new Set()).add(group));
    }
    const preferred = new Set<string>();
    for (const kind of sorted) {
      const own = identifier(kind.kind);
      const isShared = (groups.get(own)?.size ?? 0) > 1 || importable.some((name) => name === own);
      const name = isShared ? identifier(kind.group.split('.')[0] ?? '') + own : own;
      const key = `${kind.group} ${kind.kind}`;
      this.#ofKinds.set(qualified(kind), this.#take(preferred.has(key) ? name + identifier(kind.version) : name, kind));
      preferred.add(key);
    }
  }

  ofKind(kind: KindSchema): string {
    return this.#ofKinds.get(qualified(kind)) ?? '';
  }

  /** A name for a further type, with a number if somebody has it. */
  further(wanted: string): string {
    for (let number = 1; ; number++) {
      const name = number === 1 ? wanted : `${wanted}${number}`;
      if (this.#taken.has(name)) continue;
      this.#taken.add(name);
      return name;
    }
  }

  #take(name: string, kind: KindSchema): string {
    if (this.#ofKinds.has(qualified(kind))) throw new Error(`there are two definitions of ${qualified(kind)}`);
    if (this.#taken.has(name))
      throw new Error(`two kinds would have the type ${name}: generate the types of ${qualified(kind)} on their own`);
    this.#taken.add(name);
    return name;
  }
}

/** The types of the schemas of an OpenAPI document to which others refer. Each is declared once. */
class DocumentScope implements TypeScope {
  readonly #schemas: Readonly<Record<string, unknown>>;
  readonly #names: Names;
  readonly #used: Set<string>;
  readonly #ofReferences = new Map<string, string>();
  readonly #waiting: string[] = [];

  /** The names that are imported are added to `used`. */
  constructor(schemas: Readonly<Record<string, unknown>>, names: Names, used: Set<string>) {
    this.#schemas = schemas;
    this.#names = names;
    this.#used = used;
  }

  use(name: (typeof importable)[number]): string {
    this.#used.add(name);
    return name;
  }

  resolve(reference: string): string {
    if (reference === objectMeta) return this.use('ObjectMeta');
    const known = this.#ofReferences.get(reference);
    if (known !== undefined) return known;
    const schema = Object.hasOwn(this.#schemas, reference) ? this.#schemas[reference] : undefined;
    if (!isRecord(schema))
      throw new Error(`the document refers to ${JSON.stringify(reference)}, which it does not have`);
    // What is a plain value, such as a time, needs no name.
    if (['string', 'number', 'integer', 'boolean'].includes(String(schema['type']))) return typeOf(schema, this);
    const name = this.#names.further(identifier(reference.slice(reference.lastIndexOf('.') + 1)));
    this.#ofReferences.set(reference, name);
    this.#waiting.push(reference);
    return name;
  }

  /** Also those that are only found on the way. */
  declarations(): string[] {
    const written: string[] = [];
    for (let reference = this.#waiting.shift(); reference !== undefined; reference = this.#waiting.shift()) {
      const schema = record(this.#schemas[reference]);
      const name = this.#ofReferences.get(reference) ?? '';
      written.push(`${jsDoc(schema['description'], '')}export type ${name} = ${typeOf(schema, this)};\n`);
    }
    return written;
  }
}

/** The type of a kind, those of its spec and status, and its constant. */
function declarationOf(kind: KindSchema, name: string, names: Names, scope: DocumentScope): string {
  const parts: string[] = [];
  const type = kindType(kind.schema, scope, (member, schema) => {
    if (!['spec', 'status'].includes(member) || !hasProperties(schema)) return typeOf(schema, scope, '  ');
    const part = names.further(name + identifier(member));
    parts.push(`export type ${part} = ${typeOf({ ...record(schema), nullable: false }, scope)};\n`);
    return record(schema)['nullable'] === true ? `${part} | null` : part;
  });
  const { group, version, resource, namespaced } = kind;
  const members = [
    `group: ${stringLiteral(group)}`,
    `version: ${stringLiteral(version)}`,
    `kind: ${stringLiteral(kind.kind)}`,
    `resource: ${stringLiteral(resource)}`,
    ...(namespaced ? [] : ['namespaced: false']),
  ];
  const constant = `export const ${name}: ${scope.use('KindReference')}<${name}> = {\n${members.map((one) => `  ${one},\n`).join('')}};\n`;
  return [`${jsDoc(record(kind.schema)['description'], '')}export type ${name} = ${type};\n`, ...parts, constant].join(
    '\n',
  );
}
