/** What an authority store holds. */
interface StoredText {
  readonly text: string;
  /** Identifies this state of the store. */
  readonly version: string;
}

/** Keeps the authorities of a server, for its restarts and its replicas. */
export interface AuthorityStore {
  /** Where the authorities are, for messages. */
  readonly place: string;
  /** Undefined when nothing is stored yet. Throws RegistrationError when the store cannot be read. */
  read(): Promise<StoredText | undefined>;
  /**
   * Stores the text if nothing was written since `version` was read; undefined = if nothing is stored. False when another server was faster.
   * Throws RegistrationError when the store cannot be written.
   */
  write(text: string, version: string | undefined): Promise<boolean>;
}
