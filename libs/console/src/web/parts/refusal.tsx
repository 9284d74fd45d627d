import type { ComponentChildren } from 'preact';
import { ApiError, isUnreachable, messageOf, type Cause } from '../api/api.ts';
import { Badge } from './parts.tsx';

interface Props {
  /** What was thrown: an ApiError has the Status of the server. */
  readonly error: unknown;
  /** The line of a field in the text beside; undefined when the text does not have it. */
  readonly lineOf?: (field: string) => number | undefined;
  readonly onLine?: (line: number) => void;
  readonly children?: ComponentChildren;
}

const titles: Readonly<Record<number, string>> = {
  400: 'The server cannot read this',
  403: 'You may not do this',
  404: 'It does not exist',
  409: 'It conflicts with what is stored',
  410: 'It is too old',
  422: 'The server does not accept this',
  429: 'The server is busy',
};

/** Why a request was refused: the words of the server, and each cause with its line. Nothing while the chain does not respond, which is said elsewhere. */
export function Refusal({ error, lineOf, onLine, children }: Props) {
  if (isUnreachable(error)) return null;
  const refusal = error instanceof ApiError ? error : undefined;
  const causes = causesOf(error);
  return (
    <div class={refusal?.status === 403 ? 'refusal mild' : 'refusal'} role="alert">
      <div class="refusal-title">
        {refusal !== undefined && (
          <Badge kind={refusal.status === 403 ? 'plain' : 'bad'}>
            {refusal.status} {refusal.reason}
          </Badge>
        )}
        <b>{titleOf(refusal)}</b>
      </div>
      <p>{messageOf(error)}</p>
      {causes.length > 0 && (
        <ul aria-label="Causes">
          {causes.map((cause, at) => (
            <CauseItem key={at} {...{ cause, lineOf, onLine }} />
          ))}
        </ul>
      )}
      {refusal?.retryAfter !== undefined && <p>It wants to be asked again after {refusal.retryAfter} s.</p>}
      {children}
    </div>
  );
}

function titleOf(refusal: ApiError | undefined): string {
  if (refusal === undefined) return 'This failed';
  return titles[refusal.status] ?? (refusal.status >= 500 ? 'The server failed' : 'The server refuses this');
}

interface CauseItemProps extends Pick<Props, 'lineOf' | 'onLine'> {
  readonly cause: Cause;
}

function CauseItem({ cause: { field = '', message = '' }, lineOf, onLine }: CauseItemProps) {
  const line = field === '' ? undefined : lineOf?.(field);
  return (
    <li>
      {line !== undefined && (
        <button type="button" class="plain" onClick={() => onLine?.(line)}>
          line {line}
        </button>
      )}
      <span>
        {field !== '' && <code>{field}</code>} {message}
      </span>
    </li>
  );
}

/** Unknown and repeated fields are not causes of a Status, but named in its message. */
const strict = /(unknown|duplicate) field "([^"]+)"/g;

/** The causes of a refusal, each with the field that it is about. */
export function causesOf(error: unknown): readonly Cause[] {
  if (!(error instanceof ApiError)) return [];
  if (error.causes.length > 0) return error.causes;
  return [...error.message.matchAll(strict)].map(([, what = '', field = '']) => ({
    field,
    message: what === 'unknown' ? 'the field is not known' : 'the field is there twice',
  }));
}
