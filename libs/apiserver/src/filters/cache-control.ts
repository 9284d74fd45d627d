import type { Filter } from '@apichain/request';

/** Answers are nobody's to keep, unless a handler says otherwise. */
export const cacheControl: Filter = (_request, response, next) => {
  response.setHeader('Cache-Control', 'no-cache, private');
  next();
};
