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

/** A first component without a dot, a colon or a capital letter is part of the path; the registry is Docker Hub then. */
function withRegistry(image: string): string {
  const slash = image.indexOf('/');
  const first = image.slice(0, Math.max(slash, 0));
  const isDomain = slash > 0 && (/[.:]/.test(first) || first === 'localhost' || first !== first.toLowerCase());
  if (isDomain) return image;
  return `docker.io/${slash < 0 ? `library/${image}` : image}`;
}

/**
 * The tag of an image reference: `latest` when it has neither tag nor digest, '' when it has only a digest; undefined for a
 * text that is not a reference. Grammar: https://pkg.go.dev/github.com/distribution/reference
 */
export function imageTag(image: string): string | undefined {
  if (identifier.test(image)) return undefined;
  const match = reference.exec(withRegistry(image));
  if (match === null || (match[1]?.length ?? 0) > maxNameLength) return undefined;
  return match[2] ?? (match[3] === undefined ? 'latest' : '');
}

/** The default pull policy of a container. */
export const defaultPullPolicy = (image: string): 'Always' | 'IfNotPresent' =>
  imageTag(image) === 'latest' ? 'Always' : 'IfNotPresent';
