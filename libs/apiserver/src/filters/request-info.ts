import { isLongRunning, parseRequestInfo } from '../request-info.ts';
import { scopeOf } from '../request-scope.ts';
import { sanitizeHtml, writeTextError } from '../responses.ts';
import type { Filter } from './filter.ts';

export const requestInfo: Filter = (request, response, next) => {
  const scope = scopeOf(request);
  try {
    scope.requestInfo = parseRequestInfo(request.method ?? 'GET', scope.path, scope.query);
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    const text = `Internal Server Error: ${JSON.stringify(request.url)}: failed to create RequestInfo: ${detail}`;
    writeTextError(response, 500, sanitizeHtml(text));
    return;
  }
  scope.longRunning = isLongRunning(scope.requestInfo);
  next();
};
