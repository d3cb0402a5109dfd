/** The file as the person is answered it. */
export interface PersonFileToWrite {
  readonly file_json: string;
  readonly content_hash: string;
  readonly generated_at: string;
}
