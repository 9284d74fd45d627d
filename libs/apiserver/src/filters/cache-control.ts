import type { Filter } from '@apichain/request';

/** Responses may not be cached, unless a handler sets another header. */
export const cacheControl: Filter = (_request, response, next) => {
  response.setHeader('Cache-Control', 'no-cache, private');
  next();
};
