export type DiscoveryForm =
  | { readonly form: 'aggregated'; readonly contentType: string; readonly yaml: boolean }
  | { readonly form: 'legacy'; readonly yaml: boolean }
  | { readonly form: 'unacceptable' };

interface Clause {
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
  readonly quality: number;
}

/** The media types that discovery, legacy or aggregated, can be had in; the first acceptable clause by weight decides. */
export function negotiateDiscovery(accept: string | undefined, aggregatedServed: boolean): DiscoveryForm {
  if (accept === undefined || accept.trim() === '') return { form: 'legacy', yaml: false };
  for (const clause of clausesOf(accept)) {
    const yaml = clause.type === 'application/yaml';
    const json = ['application/json', '*/*', 'application/*'].includes(clause.type);
    if (!yaml && !json) continue;
    const as = clause.parameters.get('as');
    if (as === undefined) return { form: 'legacy', yaml };
    const wanted =
      as === 'APIGroupDiscoveryList' &&
      clause.parameters.get('g') === 'apidiscovery.k8s.io' &&
      clause.parameters.get('v') === 'v2';
    if (!wanted || !aggregatedServed) continue;
    const base = yaml ? 'application/yaml' : 'application/json';
    return { form: 'aggregated', contentType: `${base};g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList`, yaml };
  }
  return { form: 'unacceptable' };
}

function clausesOf(accept: string): Clause[] {
  const clauses = accept.split(',').map((text) => {
    const [type = '', ...rest] = text.split(';').map((part) => part.trim());
    const parameters = new Map<string, string>();
    for (const parameter of rest) {
      const equals = parameter.indexOf('=');
      if (equals > 0) parameters.set(parameter.slice(0, equals), parameter.slice(equals + 1));
    }
    const quality = Number(parameters.get('q') ?? '1');
    return { type, parameters, quality: Number.isNaN(quality) ? 0 : quality };
  });
  return clauses.sort((a, b) => b.quality - a.quality);
}
