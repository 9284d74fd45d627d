import { createHash } from 'node:crypto';

const hex = (text: string): string => createHash('sha256').update(text).digest('hex');

/** What the identifiers of simulated containers begin with. */
export const containerIdPrefix = 'simulated://';

/** The identifier of a run of a container: the same for the same run, another one after a restart. */
export const containerId = (podUid: string, container: string, restartCount: number): string =>
  `${containerIdPrefix}${hex(`${podUid}/${container}/${restartCount}`)}`;

/** The identifier of an image: its repository and a digest, `docker.io/library/nginx@sha256:...`. An image that is named by digest keeps it. */
export function imageId(image: string): string {
  const [name = '', digest] = image.split('@');
  const slash = name.lastIndexOf('/');
  const colon = name.indexOf(':', slash + 1);
  const repository = colon === -1 ? name : name.slice(0, colon);
  return `${withRegistry(repository)}@${digest ?? `sha256:${hex(name)}`}`;
}

function withRegistry(repository: string): string {
  const [first = '', ...rest] = repository.split('/');
  if (rest.length === 0) return `docker.io/library/${first}`;
  return /[.:]/.test(first) || first === 'localhost' ? repository : `docker.io/${repository}`;
}
