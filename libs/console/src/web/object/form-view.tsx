import { useMemo, useState } from 'preact/hooks';
import { resolve, type OpenApiDocument, type Schema } from '../api/openapi.ts';
import { dataOf, emptyOf, fieldKindOf, fieldValue, withField, type FieldPath } from './form-fields.ts';

interface Props {
  readonly document: OpenApiDocument;
  readonly schema: Schema;
  /** The manifest, which stays the one text that is edited. */
  readonly text: string;
  readonly onInput: (text: string) => void;
}

/** What every field of the form knows. */
interface FormContext {
  readonly document: OpenApiDocument;
  readonly data: unknown;
  readonly set: (path: FieldPath, value: unknown) => void;
}

interface FieldProps extends FormContext {
  readonly name: string;
  readonly path: FieldPath;
  readonly schema: Schema;
  readonly isRequired: boolean;
}

/** Fields that a form has no use for: the manifest has them already, or the server writes them. */
const left: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata', 'status']);
/** A schema may contain itself. */
const maxDepth = 10;

/** The fields of a manifest by its schema, beside the YAML of the same text. */
export function FormView({ document, schema, text, onInput }: Props) {
  const data = useMemo(() => dataOf(text), [text]);
  if (data === undefined) return <p class="note-box">The form appears again when the text is valid YAML.</p>;
  const set = (path: FieldPath, value: unknown) => onInput(withField(text, path, value));
  const context = { document, data, set };
  const { properties = {}, required = [] } = resolve(document, schema);
  return (
    <section class="form" aria-label="Form">
      <Field
        {...context}
        name="name"
        path={['metadata', 'name']}
        schema={{ type: 'string', description: 'The name of the object.' }}
        isRequired
      />
      {Object.entries(properties)
        .filter(([name]) => !left.has(name))
        .map(([name, field]) => (
          <Field
            key={name}
            {...context}
            name={name}
            path={[name]}
            schema={field}
            isRequired={required.includes(name)}
          />
        ))}
    </section>
  );
}

function Field(props: FieldProps) {
  const { document, data, set, name, path, isRequired } = props;
  const schema = resolve(document, props.schema);
  const kind = fieldKindOf(document, schema);
  const value = fieldValue(data, path);
  const id = `form-${path.join('.')}`;
  if (kind === 'object') return <ObjectField {...props} />;
  if (kind === 'list') return <ListField {...props} />;
  if (kind === 'map') return <MapField {...props} />;
  return (
    <div class="form-field">
      <label for={id}>
        <code class="field-name">{name}</code>
        {isRequired && <span class="required"> required</span>}
      </label>
      {kind === 'other' ? (
        <span class="quiet" id={id}>
          in the YAML
        </span>
      ) : (
        <Input {...{ id, kind, schema, value }} onChange={(changed) => set(path, changed)} />
      )}
      <Description schema={schema} />
    </div>
  );
}

const Description = ({ schema }: { readonly schema: Schema }) =>
  schema.description === undefined ? null : <p class="documentation">{schema.description}</p>;

interface InputProps {
  readonly id: string;
  readonly kind: 'text' | 'number' | 'boolean' | 'choice';
  readonly schema: Schema;
  readonly value: unknown;
  /** Undefined = the field is not there. */
  readonly onChange: (value: unknown) => void;
}

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value);

function Input({ id, kind, schema, value, onChange }: InputProps) {
  const choices = kind === 'boolean' ? [true, false] : kind === 'choice' ? (schema.enum ?? []) : undefined;
  if (choices !== undefined)
    return (
      <select
        id={id}
        value={value === undefined ? '' : JSON.stringify(value)}
        onChange={({ currentTarget }) =>
          onChange(currentTarget.value === '' ? undefined : (JSON.parse(currentTarget.value) as unknown))
        }
      >
        <option value="">{schema.default === undefined ? 'not set' : `not set (${textOf(schema.default)})`}</option>
        {choices.map((choice) => (
          <option key={textOf(choice)} value={JSON.stringify(choice)}>
            {textOf(choice)}
          </option>
        ))}
      </select>
    );
  const read = (typed: string): unknown => {
    if (typed === '') return undefined;
    const isNumber = kind === 'number' || (schema.type !== 'string' && /^-?\d+$/.test(typed));
    return isNumber ? Number(typed) : typed;
  };
  const shared = {
    ...{
      id,
      placeholder: textOf(schema.default),
      value: textOf(value),
      spellcheck: false,
      autocomplete: 'off' as const,
    },
    onChange: (event: TargetedInputEvent) => onChange(read(event.currentTarget.value)),
  };
  return kind === 'text' ? (
    <input type="text" {...shared} />
  ) : (
    <input type="number" step={schema.type === 'integer' ? 1 : 'any'} {...limitsOf(schema)} {...shared} />
  );
}

type TargetedInputEvent = { readonly currentTarget: HTMLInputElement };

const limitsOf = ({ minimum, maximum }: Schema) => ({
  ...(minimum !== undefined && { min: minimum }),
  ...(maximum !== undefined && { max: maximum }),
});

/** Its fields, which are drawn when it is opened: those that are set, or required, are open at first. */
function ObjectField({ schema: given, ...props }: FieldProps) {
  const { document, data, name, path, isRequired } = props;
  const schema = resolve(document, given);
  const { properties = {}, required = [] } = schema;
  const [isOpen, setOpen] = useState(path.length === 1 || isRequired || fieldValue(data, path) !== undefined);
  return (
    <fieldset>
      <legend>
        <button type="button" class="plain" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          <span class="twist" aria-hidden="true">
            {isOpen ? '▾' : '▸'}
          </span>
          <code class="field-name">{name}</code>
        </button>
      </legend>
      <Description schema={schema} />
      {isOpen &&
        path.length < maxDepth &&
        Object.entries(properties).map(([below, field]) => (
          <Field
            key={below}
            {...props}
            name={below}
            path={[...path, below]}
            schema={field}
            isRequired={required.includes(below)}
          />
        ))}
    </fieldset>
  );
}

function ListField({ schema: given, ...props }: FieldProps) {
  const { document, data, set, name, path } = props;
  const schema = resolve(document, given);
  const items = schema.items ?? {};
  const value = fieldValue(data, path);
  const list: readonly unknown[] = Array.isArray(value) ? value : [];
  return (
    <fieldset>
      <legend>
        <code class="field-name">{name}</code>
      </legend>
      <Description schema={schema} />
      {list.map((_, at) => (
        <div class="form-item" key={at}>
          <Field {...props} name={`${name} ${at + 1}`} path={[...path, at]} schema={items} isRequired />
          <button type="button" class="plain" onClick={() => set([...path, at], undefined)}>
            Remove {name} {at + 1}
          </button>
        </div>
      ))}
      <button type="button" onClick={() => set([...path, list.length], emptyOf(document, items))}>
        Add to {name}
      </button>
    </fieldset>
  );
}

function MapField({ schema: given, ...props }: FieldProps) {
  const { document, data, set, name, path } = props;
  const schema = resolve(document, given);
  const [key, setKey] = useState('');
  const values = typeof schema.additionalProperties === 'object' ? schema.additionalProperties : {};
  const entries = Object.keys(fieldValue(data, path) ?? {});
  return (
    <fieldset>
      <legend>
        <code class="field-name">{name}</code>
      </legend>
      <Description schema={schema} />
      {entries.map((entry) => (
        <div class="form-item" key={entry}>
          <Field {...props} name={entry} path={[...path, entry]} schema={values} isRequired={false} />
          <button type="button" class="plain" onClick={() => set([...path, entry], undefined)}>
            Remove {entry}
          </button>
        </div>
      ))}
      <div class="toolbar">
        <input
          aria-label={`New key of ${name}`}
          placeholder="key"
          value={key}
          onInput={(event) => setKey(event.currentTarget.value)}
        />
        <button
          type="button"
          disabled={key.trim() === ''}
          onClick={() => {
            set([...path, key.trim()], '');
            setKey('');
          }}
        >
          Add to {name}
        </button>
      </div>
    </fieldset>
  );
}
