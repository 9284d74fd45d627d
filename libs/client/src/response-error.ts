import { parseJson, serverResponseMessage } from '@apichain/meta';

const maxTextBytes = 2048;

/**
 * What client-go makes of an answer that is neither a success nor a Status: words for the code, with the body where that is text; `contentType`
 * is empty without that header. Source: newUnstructuredResponseError of k8s.io/client-go/rest.
 */
export function unstructuredErrorText(status: number, contentType: string, body: Buffer): string {
  const [mediaType = ''] = contentType.split(';');
  const isText = contentType === '' || mediaType.trim().toLowerCase().startsWith('text/');
  return serverResponseMessage(status, isText ? body.toString('utf8', 0, maxTextBytes).trim() : 'unknown');
}

/** The same, or the message of the Status that the answer is. */
export function responseErrorText(status: number, contentType: string, body: Buffer): string {
  const told = statusMessage(body.toString('utf8'));
  return told === '' ? unstructuredErrorText(status, contentType, body) : told;
}

function statusMessage(body: string): string {
  if (!body.startsWith('{')) return '';
  try {
    const answer = parseJson(body);
    if (typeof answer !== 'object' || answer === null || Array.isArray(answer)) return '';
    const { kind, message } = answer as Readonly<Record<string, unknown>>;
    return kind === 'Status' && typeof message === 'string' ? message : '';
  } catch {
    return '';
  }
}
