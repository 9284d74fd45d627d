import { useLiveTable } from '../lists/live-table.ts';

interface Props {
  readonly value: string;
  readonly onChange: (namespace: string) => void;
}

/** The namespaces, followed by a watch. Who may not list them types a name. */
export function NamespaceSelect({ value, onChange }: Props) {
  const { rows, state } = useLiveTable('/api/v1/namespaces');
  if (state === 'failed')
    return (
      <input
        aria-label="Namespace"
        placeholder="Namespace"
        value={value}
        onChange={(event) => onChange(event.currentTarget.value.trim())}
      />
    );
  const names = rows.map(({ object }) => object.metadata.name).sort();
  const known = value === '' || names.includes(value) ? names : [value, ...names];
  return (
    <select aria-label="Namespace" value={value} onChange={(event) => onChange(event.currentTarget.value)}>
      <option value="">All namespaces</option>
      {known.map((name) => (
        <option key={name} value={name}>
          {name}
        </option>
      ))}
    </select>
  );
}
