import { useState } from 'preact/hooks';
import {
  groupVersions,
  kindsOf,
  openApiOf,
  resolve,
  typeName,
  type OpenApiDocument,
  type Schema,
} from '../api/openapi.ts';
import { Header, useLoaded } from '../parts/parts.tsx';
import { Refusal } from '../parts/refusal.tsx';
import { linkTo } from '../shell/routes.ts';
import { TryGet } from './try-get.tsx';

interface Props {
  readonly groupVersion: string;
  readonly kind: string;
}

/** The documents of OpenAPI v3: groups, their kinds, and the fields of a kind with their documentation. */
export function ExplorerView({ groupVersion, kind }: Props) {
  const groups = useLoaded(groupVersions, []);
  return (
    <>
      <Header title="API explorer" note={groups.value === undefined ? '' : `${groups.value.length} group versions`} />
      {groups.error !== undefined && <Refusal error={groups.error} />}
      <div class="explorer">
        <nav class="column" aria-label="Group versions">
          <ul>
            {(groups.value ?? []).map((name) => (
              <li key={name}>
                <a
                  href={linkTo.explorer(name)}
                  title={name}
                  {...(name === groupVersion ? { 'aria-current': 'page' as const } : {})}
                >
                  {name}
                </a>
              </li>
            ))}
          </ul>
        </nav>
        {groupVersion === '' ? (
          <p class="quiet hint">Choose a group version: its kinds and their fields appear here.</p>
        ) : (
          <GroupVersion key={groupVersion} groupVersion={groupVersion} kind={kind} />
        )}
      </div>
    </>
  );
}

function GroupVersion({ groupVersion, kind }: Props) {
  const { value: document, error } = useLoaded(() => openApiOf(groupVersion), [groupVersion]);
  if (error !== undefined) return <Refusal error={error} />;
  if (document === undefined) return <p class="quiet hint">Reading the schema of {groupVersion}…</p>;
  const kinds = kindsOf(document, groupVersion);
  const schema = kinds.get(kind);
  return (
    <>
      <nav class="column" aria-label="Kinds">
        <ul>
          {[...kinds.keys()].map((name) => (
            <li key={name}>
              <a
                href={linkTo.explorer(groupVersion, name)}
                title={name}
                {...(name === kind ? { 'aria-current': 'page' as const } : {})}
              >
                {name}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <div class="schema">
        {schema === undefined ? (
          <p class="quiet hint">Choose a kind.</p>
        ) : (
          <>
            <h2>{kind}</h2>
            <p class="documentation">{schema.description}</p>
            <Fields document={document} schema={schema} />
          </>
        )}
        <TryGet
          key={groupVersion}
          start={groupVersion.includes('/') ? `/apis/${groupVersion}` : `/api/${groupVersion}`}
          paths={pathsOf(document)}
        />
      </div>
    </>
  );
}

/** Paths of the document without parameters but a namespace, which is filled in. */
function pathsOf({ paths = {} }: OpenApiDocument): readonly string[] {
  return Object.entries(paths)
    .filter(([path, methods]) => 'get' in methods && !path.includes('/watch/'))
    .map(([path]) => path.replace('{namespace}', 'default'))
    .filter((path) => !path.includes('{'))
    .sort();
}

function Fields({ document, schema }: { readonly document: OpenApiDocument; readonly schema: Schema }) {
  const { properties = {}, required = [] } = schema;
  return (
    <ul class="fields">
      {Object.entries(properties)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, field]) => (
          <Field key={name} document={document} name={name} schema={field} isRequired={required.includes(name)} />
        ))}
    </ul>
  );
}

interface FieldProps {
  readonly document: OpenApiDocument;
  readonly name: string;
  readonly schema: Schema;
  readonly isRequired: boolean;
}

/** A field, and on demand the fields below it. A schema may contain itself, so nothing is opened before it is asked for. */
function Field({ document, name, schema, isRequired }: FieldProps) {
  const [isOpen, setOpen] = useState(false);
  const resolved = resolve(document, schema);
  const below = fieldsBelow(document, resolved);
  const title = (
    <>
      <code class="field-name">{name}</code>
      <span class="type">{typeName(document, schema)}</span>
      {isRequired && <span class="required">required</span>}
    </>
  );
  return (
    <li>
      {below === undefined ? (
        <div class="field">{title}</div>
      ) : (
        <button type="button" class="field plain" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          <span class="twist" aria-hidden="true">
            {isOpen ? '▾' : '▸'}
          </span>
          {title}
        </button>
      )}
      <p class="documentation">
        {resolved.description}
        {resolved.enum !== undefined && ` One of: ${resolved.enum.join(', ')}.`}
        {isTelling(resolved.default) && ` Default: ${JSON.stringify(resolved.default)}.`}
      </p>
      {isOpen && below !== undefined && <Fields document={document} schema={below} />}
    </li>
  );
}

const isTelling = (value: unknown): boolean =>
  value !== undefined && value !== '' && JSON.stringify(value) !== '{}' && JSON.stringify(value) !== '[]';

/** The schema with the fields below a field: its own, or those of the items of a list or a map. */
function fieldsBelow(document: OpenApiDocument, schema: Schema): Schema | undefined {
  const { items, additionalProperties, properties } = schema;
  if (properties !== undefined) return schema;
  if (items !== undefined) return fieldsBelow(document, resolve(document, items));
  return typeof additionalProperties === 'object'
    ? fieldsBelow(document, resolve(document, additionalProperties))
    : undefined;
}
