/** The path of a field below `path`, which may be empty: `spec`, `name` -> `spec.name`. */
export function child(path: string, name: string, ...further: string[]): string {
  let at = path === '' ? name : `${path}.${name}`;
  for (const next of further) at += `.${next}`;
  return at;
}

/** The path of an item of a list: `spec.ports[0]`. */
export const index = (path: string, i: number): string => `${path}[${i}]`;
/** The path of an entry of a map: `metadata.labels[app]`. */
export const key = (path: string, k: string): string => `${path}[${k}]`;
