const alphanumeric = '[a-z0-9]+';
const pathComponent = `${alphanumeric}(?:(?:[._]|__|-+)${alphanumeric})*`;
const domainComponent = '(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])';
const domain = `(?:${domainComponent}(?:\\.${domainComponent})*|\\[[a-fA-F0-9:]+\\])(?::[0-9]+)?`;
const digest = '[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9A-Fa-f]{32,}';
const reference = new RegExp(
  `^((?:${domain}/)?${pathComponent}(?:/${pathComponent})*)(?::([\\w][\\w.-]{0,127}))?(@${digest})?$`,
);
const identifier = /^[a-f0-9]{64}$/;
const maxNameLength = 255;

/** A first component without dot, colon or capital is part of the path, and the registry is Docker's. */
function withRegistry(image: string): string {
  const slash = image.indexOf('/');
  const first = image.slice(0, Math.max(slash, 0));
  const isDomain = slash > 0 && (/[.:]/.test(first) || first === 'localhost' || first !== first.toLowerCase());
  if (isDomain) return image;
  return `docker.io/${slash < 0 ? `library/${image}` : image}`;
}

/**
 * The tag that an image text asks for, `latest` when it names neither tag nor digest, '' with a digest alone; undefined for a
 * text that is no reference. Grammar: https://pkg.go.dev/github.com/distribution/reference
 */
export function imageTag(image: string): string | undefined {
  if (identifier.test(image)) return undefined;
  const match = reference.exec(withRegistry(image));
  if (match === null || (match[1]?.length ?? 0) > maxNameLength) return undefined;
  return match[2] ?? (match[3] === undefined ? 'latest' : '');
}

/** The pull policy of a container that names none. */
export const defaultPullPolicy = (image: string): 'Always' | 'IfNotPresent' =>
  imageTag(image) === 'latest' ? 'Always' : 'IfNotPresent';
