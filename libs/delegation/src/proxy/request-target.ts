import { withoutOrigin } from '@apichain/request';

/** The path and query of a request target, as it was authorized; of `GET http://host/path` without the host. */
export const pathOf = (target: string): string => (target.startsWith('/') ? target : (withoutOrigin(target) ?? target));
