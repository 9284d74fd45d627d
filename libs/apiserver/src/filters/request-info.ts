import { errorMessage } from '@apichain/meta';
import { isLongRunning, parseRequestInfo } from '@apichain/request';
import { scopeOf } from '@apichain/request';
import { sanitizeHtml, writeTextError } from '@apichain/request';
import type { Filter } from '@apichain/request';

export const requestInfo: Filter = (request, response, next) => {
  const scope = scopeOf(request);
  try {
    scope.requestInfo = parseRequestInfo(request.method ?? 'GET', scope.path, scope.query);
  } catch (error) {
    const detail = errorMessage(error);
    const text = `Internal Server Error: ${JSON.stringify(request.url)}: failed to create RequestInfo: ${detail}`;
    writeTextError(response, 500, sanitizeHtml(text));
    return;
  }
  scope.longRunning = isLongRunning(scope.requestInfo);
  next();
};
