import { useState } from 'preact/hooks';
import { Table } from '../parts/parts.tsx';
import { decoded, secretValues } from './secret-values.ts';

/** The keys of a Secret. A value is decoded and shown only on demand. */
export function SecretPanel({ stored }: { readonly stored: string }) {
  const [shown, setShown] = useState<ReadonlySet<string>>(new Set());
  const values = secretValues(stored);
  if (values.length === 0) return null;
  const toggle = (key: string) => {
    const next = new Set(shown);
    if (!next.delete(key)) next.add(key);
    setShown(next);
  };
  return (
    <section class="secret" aria-label="Values">
      <Table columns={['Key', 'Size', 'Value']}>
        {values.map(({ key, bytes }) => (
          <tr key={key}>
            <td>
              <code>{key}</code>
            </td>
            <td>{bytes} bytes</td>
            <td class="wrap">
              <button type="button" class="plain" aria-pressed={shown.has(key)} onClick={() => toggle(key)}>
                {shown.has(key) ? 'Hide' : 'Decode'}
              </button>{' '}
              {shown.has(key) && <Value value={decoded(stored, key)} />}
            </td>
          </tr>
        ))}
      </Table>
    </section>
  );
}

const Value = ({ value }: { readonly value: string | undefined }) =>
  value === undefined ? <span class="quiet">It is no text.</span> : <code class="decoded">{value}</code>;
