import { useConnection } from '../api/connection.ts';

/** Says that the chain does not respond, and that nothing has to be done about it in the browser. */
export function ConnectionNote() {
  const { lostAt } = useConnection();
  return (
    <div role="status" class="connection">
      {lostAt !== undefined && (
        <p class="note-box">
          The chain does not respond since {new Date(lostAt).toLocaleTimeString()}. What is shown may be old; it goes on
          when the chain is there again.
        </p>
      )}
    </div>
  );
}
