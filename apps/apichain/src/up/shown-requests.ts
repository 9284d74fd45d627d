import { manifestsUserAgent } from '../manifests/user-agent.ts';
import { controllersUserAgent } from '@apichain/controllers/user-agent';
import { isRecord } from '@apichain/meta';
import { formatRequest, requestOf } from '../lifecycle/request-line.ts';
import { isColored } from '../terminal/color.ts';
import { printLine } from './say.ts';

/** The clients that are part of the chain, and not of its user. */
const ownClients: readonly string[] = [controllersUserAgent, manifestsUserAgent];

/** Where `apichain` itself asks for URLs that log in to the console. */
const codesPath = '/console/codes';

/**
 * Prints the requests (`--show-requests`) among the lines of a log, without those of the chain itself: of its controllers, whose watches are many, and
 * of its own commands and manifests.
 */
export function showRequests(line: string): void {
  // Other lines need not be parsed.
  if (!line.includes('"msg":"request"')) return;
  const entry: unknown = JSON.parse(line);
  const request = isRecord(entry) ? requestOf(entry) : undefined;
  if (request !== undefined && !ownClients.includes(request.userAgent) && request.uri !== codesPath)
    printLine(formatRequest(request, isColored(process.stdout)));
}
