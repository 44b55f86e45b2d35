-- Applications that exist keep the attributes that exist. Those of new applications are chosen.
ALTER TABLE applications ADD COLUMN readable_attributes text[] NOT NULL
  DEFAULT '{job_title,location,hire_date,termination_date,manager_id}';
ALTER TABLE applications ALTER COLUMN readable_attributes SET DEFAULT '{}';

-- When the attributes last changed that an application may be without: by name, and that of all others as `others`. NULL if none of
-- them has changed since the others did: each changed at `updated_at` then, or before.
ALTER TABLE employees ADD COLUMN attribute_times jsonb;

CREATE FUNCTION set_attribute_times() RETURNS trigger
LANGUAGE plpgsql AS $$
DECLARE
  times jsonb;
BEGIN
  IF (OLD.employee_number, OLD.first_name, OLD.last_name, OLD.email, OLD.status, OLD.department)
      IS DISTINCT FROM (NEW.employee_number, NEW.first_name, NEW.last_name, NEW.email, NEW.status, NEW.department) THEN
    NEW.attribute_times := NULL;
    RETURN NEW;
  END IF;
  times := jsonb_strip_nulls(jsonb_build_object(
    'job_title', CASE WHEN OLD.job_title IS DISTINCT FROM NEW.job_title THEN NEW.updated_at END,
    'location', CASE WHEN OLD.location IS DISTINCT FROM NEW.location THEN NEW.updated_at END,
    'hire_date', CASE WHEN OLD.hire_date IS DISTINCT FROM NEW.hire_date THEN NEW.updated_at END,
    'termination_date', CASE WHEN OLD.termination_date IS DISTINCT FROM NEW.termination_date THEN NEW.updated_at END,
    'manager_id', CASE WHEN OLD.manager_id IS DISTINCT FROM NEW.manager_id THEN NEW.updated_at END));
  IF times <> '{}' THEN
    NEW.attribute_times := coalesce(OLD.attribute_times, jsonb_build_object('others', OLD.updated_at)) || times;
  END IF;
  RETURN NEW;
END $$;

CREATE TRIGGER employees_attribute_times BEFORE UPDATE ON employees
  FOR EACH ROW EXECUTE FUNCTION set_attribute_times();
