import { withoutOrigin } from '@apichain/request';

/** The path and query of a request target, as authorized; without the host for `GET http://host/path`. */
export const pathOf = (target: string): string => (target.startsWith('/') ? target : (withoutOrigin(target) ?? target));
