import { controllersUserAgent } from '@apichain/controllers/user-agent';
import { isRecord } from '@apichain/meta';
import { formatRequest, requestOf } from '../lifecycle/request-line.ts';
import { isColored } from '../terminal/color.ts';

/** Where `apichain` itself asks for URLs that log in to the console. */
const codesPath = '/console/codes';

/**
 * Prints the requests (`--show-requests`) among the lines of a log, without those of the chain itself: of its controllers, whose watches are many, and
 * of its own commands.
 */
export function showRequests(line: string): void {
  // Other lines need not be parsed.
  if (!line.includes('"msg":"request"')) return;
  const entry: unknown = JSON.parse(line);
  const request = isRecord(entry) ? requestOf(entry) : undefined;
  if (request !== undefined && request.userAgent !== controllersUserAgent && request.uri !== codesPath)
    console.log(formatRequest(request, isColored(process.stdout)));
}
