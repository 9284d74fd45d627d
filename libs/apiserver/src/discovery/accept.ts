interface Clause {
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
  readonly quality: number;
}

/**
 * The content type of aggregated discovery, if that is what the first acceptable clause by weight asks for; undefined = the
 * legacy document, or nothing that is served. Source: k8s.io/apiserver/pkg/endpoints/discovery/aggregated/wrapper.go.
 */
export function aggregatedContentType(accept: string | undefined): string | undefined {
  if (accept === undefined || !accept.includes('APIGroupDiscoveryList')) return undefined;
  for (const { type, parameters } of clausesOf(accept)) {
    const yaml = type === 'application/yaml';
    const json = ['application/json', '*/*', 'application/*'].includes(type);
    if (!yaml && !json) continue;
    if (!parameters.has('as')) return undefined;
    const wanted =
      parameters.get('as') === 'APIGroupDiscoveryList' &&
      parameters.get('g') === 'apidiscovery.k8s.io' &&
      parameters.get('v') === 'v2';
    if (wanted) return `application/${yaml ? 'yaml' : 'json'};g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList`;
  }
  return undefined;
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
