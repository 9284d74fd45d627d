const line = /^apiserver_request_total\{([^}]*)\} ([\d.e+]+)$/gm;

/** Counts of apiserver_request_total in the text of /metrics, by `verb resource/subresource.group code`. */
export function requestCounts(metrics: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const [, labels = '', value] of metrics.matchAll(line)) {
    const label = (name: string) => new RegExp(`(?:^|,)${name}="([^"]*)"`).exec(labels)?.[1] ?? '';
    const resource = [label('resource'), label('subresource')].filter((part) => part !== '').join('/');
    const group = label('group') === '' ? '' : `.${label('group')}`;
    const key = `${label('verb')} ${resource}${group} ${label('code')}`;
    counts.set(key, (counts.get(key) ?? 0) + Number(value));
  }
  return counts;
}

/** What was added since an earlier count. A server that was started again counts from 0. */
export function difference(
  now: ReadonlyMap<string, number>,
  before: ReadonlyMap<string, number>,
): ReadonlyMap<string, number> {
  return new Map(
    [...now].flatMap(([key, count]) => {
      const added = count - (before.get(key) ?? 0);
      return added === 0 ? [] : [[key, added]];
    }),
  );
}

export const sum = (counts: ReadonlyMap<string, number>): number =>
  [...counts.values()].reduce((total, count) => total + count, 0);
