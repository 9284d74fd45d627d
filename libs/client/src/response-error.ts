import { goQuote, parseJson } from '@apichain/meta';

const reasons: Readonly<Record<number, string>> = {
  400: 'the server rejected our request for an unknown reason',
  401: 'the server has asked for the client to provide credentials',
  404: 'the server could not find the requested resource',
  405: 'the server does not allow this method on the requested resource',
  409: 'the server reported a conflict',
  413: 'Request entity too large: limit is 3145728',
  429: 'the server has received too many requests and has asked us to try again later',
  503: 'the server is currently unable to handle the request',
  504: 'the server was unable to return a response in the time allotted, but may still be processing the request',
};

/**
 * What client-go makes of an answer that is no success: the message of the Status that it is, or words for the code, with the body where that
 * is text. Source: NewGenericServerResponse of k8s.io/apimachinery/pkg/api/errors.
 */
export function responseErrorText(status: number, contentType: string | undefined, body: string): string {
  const told = body.startsWith('{') ? statusMessage(body) : '';
  if (told !== '') return told;
  const reason = reasons[status];
  if (reason !== undefined) return reason;
  const isText = contentType === undefined || contentType === '' || contentType.startsWith('text/');
  const shown = isText && body.trim() !== '' ? body.trim() : 'unknown';
  return status >= 500 ? `an error on the server (${goQuote(shown)}) has prevented the request from succeeding` : shown;
}

function statusMessage(body: string): string {
  try {
    const answer = parseJson(body);
    if (typeof answer !== 'object' || answer === null || Array.isArray(answer)) return '';
    const { kind, message } = answer as Readonly<Record<string, unknown>>;
    return kind === 'Status' && typeof message === 'string' ? message : '';
  } catch {
    return '';
  }
}
